// SPDX-License-Identifier: GPL-2.0-or-later

import Gateway

CommandLineTool.runAndExit(Array(CommandLine.arguments.dropFirst()))
