// SPDX-License-Identifier: GPL-2.0-or-later

/// A program for the kernel's socket filter (classic BPF) that hides legacy advertising without a wanted beginning.
///
/// It must never hide what the parser would take: an event that it cannot judge for sure passes. Those are events
/// that are no legacy advertising, that hold several reports or end early, extended PDUs (whose data may be spread over
/// several reports), and data with more AD structures than it steps over.
public struct ReportFilter: Equatable, Sendable {
    /// One instruction as the kernel takes it (`struct sock_filter`).
    public struct Instruction: Equatable, Sendable {
        /// Class, size and mode.
        public var code: UInt16
        /// Instructions to step over when a comparison holds.
        public var ifTrue: UInt8 = 0
        /// Instructions to step over when it does not.
        public var ifFalse: UInt8 = 0
        /// An offset, a number or a result.
        public var operand: UInt32
    }

    /// The program, first instruction first.
    public let program: [Instruction]

    /// AD structures it steps over before it lets an event pass. An advertisement with a beacon has flags before it at
    /// most, a foreign one rarely more than four.
    private static let structures = 6

    /// The filter for these beginnings of manufacturer structures, the AD type FF first.
    public init(beginnings: [[UInt8]]) {
        var builder = Builder()
        builder.build(beginnings)
        program = builder.instructions
    }

    /// The filter for what the parser knows today.
    public static let iBeacon = ReportFilter(beginnings: [(0..<IBeacon.prefix.count).map { IBeacon.prefix[$0] }])

    /// Opcodes (Linux include/uapi/linux/bpf_common.h).
    private enum Code {
        static let loadByte: UInt16 = 0x30  // BPF_LD | BPF_B | BPF_ABS
        static let loadByteAtX: UInt16 = 0x50  // BPF_LD | BPF_B | BPF_IND
        static let loadStored: UInt16 = 0x60  // BPF_LD | BPF_MEM
        static let loadX: UInt16 = 0x01  // BPF_LDX | BPF_IMM
        static let store: UInt16 = 0x02  // BPF_ST
        static let add: UInt16 = 0x04  // BPF_ALU | BPF_ADD | BPF_K
        static let addX: UInt16 = 0x0C  // BPF_ALU | BPF_ADD | BPF_X
        static let subtractX: UInt16 = 0x1C  // BPF_ALU | BPF_SUB | BPF_X
        static let toX: UInt16 = 0x07  // BPF_MISC | BPF_TAX
        static let jump: UInt16 = 0x05  // BPF_JMP | BPF_JA
        static let ifEqual: UInt16 = 0x15  // BPF_JMP | BPF_JEQ | BPF_K
        static let ifAbove: UInt16 = 0x25  // BPF_JMP | BPF_JGT | BPF_K
        static let ifAnySet: UInt16 = 0x45  // BPF_JMP | BPF_JSET | BPF_K
        static let result: UInt16 = 0x06  // BPF_RET | BPF_K
    }

    /// Where a jump leads.
    private enum Target: Hashable {
        case next, pass, hide, extended, walk
        /// The comparison with a beginning, or the step behind all of them, of one structure.
        case beginning(structure: Int, Int)
    }

    /// Puts the program together; jumps are filled in when all places are known.
    private struct Builder {
        private(set) var instructions: [Instruction] = []
        private var jumps: [(place: Int, ifTrue: Target, ifFalse: Target)] = []
        private var places: [Target: Int] = [:]

        /// Offsets in a frame with one report (`AdvertisingParser` has the layouts).
        private enum Offset {
            static let packetType: UInt32 = 0
            static let eventCode: UInt32 = 1
            static let subevent: UInt32 = 3
            static let reports: UInt32 = 4
            static let eventType: UInt32 = 5
            static let legacyLength: UInt32 = 13
            static let extendedLength: UInt32 = 28
        }

        mutating func build(_ beginnings: [[UInt8]]) {
            load(Offset.packetType)
            branch(Code.ifEqual, UInt32(HCI.eventPacket), .next, .pass)
            load(Offset.eventCode)
            branch(Code.ifEqual, UInt32(HCI.leMetaEvent), .next, .pass)
            load(Offset.reports)
            branch(Code.ifEqual, 1, .next, .pass)
            load(Offset.subevent)
            branch(Code.ifEqual, UInt32(HCI.extendedAdvertisingReport), .extended, .next)
            branch(Code.ifEqual, UInt32(HCI.advertisingReport), .next, .pass)
            bounds(length: Offset.legacyLength)
            emit(Code.jump, 0)
            jumps.append((instructions.count - 1, .walk, .walk))
            mark(.extended)
            load(Offset.eventType)
            let legacyPDU: UInt32 = 0x10
            branch(Code.ifAnySet, legacyPDU, .next, .pass)
            branch(Code.ifAnySet, UInt32(HCI.dataStatusMask), .pass, .next)
            bounds(length: Offset.extendedLength)
            mark(.walk)
            for structure in 0..<ReportFilter.structures { walk(structure, beginnings) }
            mark(.pass)
            let wholePacket: UInt32 = 0x40000
            emit(Code.result, wholePacket)
            mark(.hide)
            emit(Code.result, 0)
            resolve()
        }

        /// X becomes the start of the data, M[0] its end.
        private mutating func bounds(length: UInt32) {
            emit(Code.loadX, length + 1)
            load(length)
            emit(Code.addX, 0)
            emit(Code.store, 0)
        }

        /// Looks at the structure at X and steps over it. A load beyond the packet hides it: nothing follows there.
        private mutating func walk(_ structure: Int, _ beginnings: [[UInt8]]) {
            emit(Code.loadStored, 0)
            emit(Code.subtractX, 0)
            branch(Code.ifEqual, 0, .hide, .next)
            let negative: UInt32 = 0xFFFF
            branch(Code.ifAbove, negative, .hide, .next)
            emit(Code.loadByteAtX, 0)
            branch(Code.ifEqual, 0, .hide, .next)  // Early termination.
            for (number, beginning) in beginnings.enumerated() {
                mark(.beginning(structure: structure, number))
                for (offset, byte) in beginning.enumerated() {
                    emit(Code.loadByteAtX, UInt32(offset + 1))
                    let isLast = offset + 1 == beginning.count
                    branch(
                        Code.ifEqual, UInt32(byte), isLast ? .pass : .next,
                        .beginning(structure: structure, number + 1))
                }
            }
            mark(.beginning(structure: structure, beginnings.count))
            emit(Code.loadByteAtX, 0)
            emit(Code.add, 1)
            emit(Code.addX, 0)
            emit(Code.toX, 0)
        }

        private mutating func load(_ offset: UInt32) { emit(Code.loadByte, offset) }

        private mutating func emit(_ code: UInt16, _ operand: UInt32) {
            instructions.append(Instruction(code: code, operand: operand))
        }

        private mutating func branch(_ code: UInt16, _ operand: UInt32, _ ifTrue: Target, _ ifFalse: Target) {
            emit(code, operand)
            jumps.append((instructions.count - 1, ifTrue, ifFalse))
        }

        private mutating func mark(_ target: Target) { places[target] = instructions.count }

        private mutating func resolve() {
            for jump in jumps {
                func distance(_ target: Target) -> Int { (places[target] ?? jump.place + 1) - jump.place - 1 }
                if instructions[jump.place].code == Code.jump {
                    instructions[jump.place].operand = UInt32(distance(jump.ifTrue))
                } else {
                    // Eight bits hold it while structures times beginnings stay small.
                    instructions[jump.place].ifTrue = UInt8(distance(jump.ifTrue))
                    instructions[jump.place].ifFalse = UInt8(distance(jump.ifFalse))
                }
            }
        }
    }
}
