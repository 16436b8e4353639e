//! Short ASCII text without a heap allocation.

use std::fmt;

/// ASCII text of at most `N` bytes, kept inline.
#[derive(Clone, Copy)]
pub struct Text<const N: usize> {
    len: u16,
    bytes: [u8; N],
}

/// Text that does not fit, or is not ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("text of {len} bytes is longer than {max} or is not ASCII")]
pub struct TextTooLong {
    /// The length found, in bytes.
    pub len: usize,
    /// The most that fits, in bytes.
    pub max: usize,
}

impl<const N: usize> Text<N> {
    /// The empty text.
    pub const EMPTY: Text<N> = Text {
        len: 0,
        bytes: [0; N],
    };

    /// Copies ASCII bytes.
    ///
    /// # Errors
    /// [`TextTooLong`] if there are more than `N` bytes or one is not ASCII.
    pub fn new(bytes: &[u8]) -> Result<Self, TextTooLong> {
        if bytes.len() > N || bytes.len() > usize::from(u16::MAX) || !bytes.is_ascii() {
            return Err(TextTooLong {
                len: bytes.len(),
                max: N,
            });
        }
        let mut text = Self::EMPTY;
        text.extend(bytes);
        Ok(text)
    }

    /// Text of `len` bytes that `fill` writes; it must write ASCII only.
    ///
    /// # Panics
    /// If `len` is more than `N`.
    #[inline(always)]
    pub(crate) fn filled(len: usize, fill: impl FnOnce(&mut [u8])) -> Self {
        let mut text = Self::EMPTY;
        fill(&mut text.bytes[..len]);
        text.len = len as u16;
        text
    }

    /// Appends ASCII bytes of which the caller knows that they fit.
    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        let start = usize::from(self.len);
        self.bytes[start..start + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len() as u16;
    }

    /// The bytes in use, to be changed in place.
    #[inline]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..usize::from(self.len)]
    }

    /// The text as bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The text as a string.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The length in bytes, which are characters.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Whether there is no character.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<const N: usize> PartialEq for Text<N> {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<const N: usize> Eq for Text<N> {}

impl<const N: usize> PartialEq<str> for Text<N> {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<const N: usize> PartialEq<&str> for Text<N> {
    fn eq(&self, other: &&str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl<const N: usize> AsRef<str> for Text<N> {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl<const N: usize> fmt::Debug for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl<const N: usize> fmt::Display for Text<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_fits_and_names_what_does_not() {
        let text = Text::<5>::new(b"OUGHT").unwrap();
        assert_eq!(text, "OUGHT");
        assert_eq!(format!("[{text:>7}]"), "[  OUGHT]");
        assert_eq!(
            Text::<4>::new(b"OUGHT").unwrap_err(),
            TextTooLong { len: 5, max: 4 }
        );
        assert!(Text::<5>::new("é".as_bytes()).is_err());
        assert!(Text::<5>::EMPTY.is_empty());
    }
}
