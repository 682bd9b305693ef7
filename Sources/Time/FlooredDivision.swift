// SPDX-License-Identifier: GPL-2.0-or-later

extension Int64 {
    /// The quotient towards minus infinity, so that cycles run on evenly through 0.
    public func flooredQuotient(_ divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// What is left of it, from 0 to below a positive divisor.
    public func flooredRemainder(_ divisor: Int64) -> Int64 { self - flooredQuotient(divisor) * divisor }
}
