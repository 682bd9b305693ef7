// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

exit(Benchmark.run(Array(CommandLine.arguments.dropFirst())))
