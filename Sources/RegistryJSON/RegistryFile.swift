// SPDX-License-Identifier: GPL-2.0-or-later

import RegionCore

/// Watches a registry file: asked again and again, it says when there is something new, and keeps what is good.
///
/// A poll of the path (links followed) sees every way a file is replaced: written in place, renamed over, a link
/// turned to another folder. What was in force stays so until a whole, good file comes.
public struct RegistryFile {
    /// What a poll found.
    public enum Outcome: Equatable, Sendable {
        /// Nothing to tell.
        case unchanged
        /// The file is good and describes the venue in force: other white space, or a refusal has been put right.
        case sameContent
        /// A new venue, and the bytes it was read from; it is in force now.
        case loaded(Venue, bytes: [UInt8])
        /// The file is refused, told once for each content; the venue in force stays.
        case refused(RegistryRefusal)
    }

    /// The file's path.
    public let path: String
    /// Why the file as it is now is refused; nil when it is what is in force.
    public private(set) var refusal: RegistryRefusal?

    private var inForce: (venue: Venue, bytes: [UInt8])?
    private var refused: Cause?
    private var signature: FileSignature?
    /// Whether the file was read again after its signature last changed.
    private var isSettled = false

    /// What a refusal is about: told once for each.
    private enum Cause: Equatable {
        case content([UInt8])
        case trouble(FileTrouble)
    }

    /// Watches this path; the first `poll` reads it.
    public init(path: String) { self.path = path }

    /// Looks once. Costs one `stat` where nothing changed.
    ///
    /// After a change the file is read at two polls running: a second write within the same tick of the file
    /// system's clock leaves the signature as it was. For the same reason a file that ends too early is refused only at
    /// the second poll, unless nothing is in force yet: its writer may be half way.
    public mutating func poll() -> Outcome {
        let bytes: [UInt8]
        do {
            let current = try FileSignature(path: path)
            if isSettled, current == signature { return .unchanged }
            isSettled = current == signature
            signature = current
            bytes = try OpenFile(path: path).bytes()
        } catch {
            signature = nil
            let fault = RegistryFault(position: nil, message: "\(path): \(error.message)")
            return refuse(RegistryRefusal(faults: [fault]), because: .trouble(error))
        }
        return judge(bytes)
    }

    private mutating func judge(_ bytes: [UInt8]) -> Outcome {
        if let inForce, inForce.bytes == bytes { return accept(inForce.venue, bytes) }
        if refused == .content(bytes) { return .unchanged }
        do {
            return accept(try RegistryReader.read(bytes), bytes)
        } catch {
            if error.isCutOff, !isSettled, inForce != nil { return .unchanged }
            return refuse(error, because: .content(bytes))
        }
    }

    private mutating func accept(_ venue: Venue, _ bytes: [UInt8]) -> Outcome {
        let before = inForce
        let wasRefused = refusal != nil
        inForce = (venue, bytes)
        refusal = nil
        refused = nil
        guard let before, before.venue == venue else { return .loaded(venue, bytes: bytes) }
        return before.bytes == bytes && !wasRefused ? .unchanged : .sameContent
    }

    private mutating func refuse(_ refusal: RegistryRefusal, because cause: Cause) -> Outcome {
        if refused == cause { return .unchanged }
        refused = cause
        self.refusal = refusal
        return .refused(refusal)
    }
}
