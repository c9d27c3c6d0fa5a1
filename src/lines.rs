//! Reads lines of untrusted text.

use std::io::{self, BufRead, BufReader, Read};

use csv::{ReaderBuilder, StringRecord, Terminator};

/// Number of bytes read at once: the capacity of a pipe.
const BUFFER: usize = 1 << 16;

/// The bytes that some editors put before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads lines one by one. A line that is too long is an error before it fills the memory, because
/// it may have no end.
pub(crate) struct LineReader<R> {
    from: BufReader<R>,
    longest: usize,
    line: Vec<u8>,
    number: u64,
}

impl<R: Read> LineReader<R> {
    /// Read lines of at most `longest` bytes, line ends included.
    pub(crate) fn new(from: R, longest: usize) -> Self {
        Self {
            from: BufReader::with_capacity(BUFFER, from),
            longest,
            line: Vec::new(),
            number: 0,
        }
    }

    /// The next line with its line end; `None` at the end. The first line loses its byte order
    /// mark.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.number += 1;
        self.line.clear();
        let most = self.longest as u64 + 1;
        let length = (&mut self.from)
            .take(most)
            .read_until(b'\n', &mut self.line)?;
        if length > self.longest {
            let what = format!("more than {} bytes without a line end", self.longest);
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        let line = match self.number {
            1 => self.line.strip_prefix(BYTE_ORDER_MARK),
            _ => None,
        };
        Ok((length > 0).then_some(line.unwrap_or(&self.line)))
    }

    /// The number of the last line that was read or refused, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Whether the next line must be awaited, because the buffer is empty.
    #[cfg(feature = "cli")]
    pub(crate) fn waits(&self) -> bool {
        self.from.buffer().is_empty()
    }
}

/// The fields of a line of CSV; an empty line has none.
pub(crate) fn fields(line: &[u8]) -> Result<StringRecord, String> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        // A carriage return inside the line would otherwise end the record, and hide the rest.
        .terminator(Terminator::Any(b'\n'))
        .from_reader(line.trim_ascii_end());
    let mut fields = StringRecord::new();
    reader.read_record(&mut fields).map_err(|_| match line {
        // UTF-16, or a zip archive.
        [0xff, 0xfe, ..] | [b'P', b'K', ..] => {
            "not text in UTF-8: saved by a spreadsheet? Save it as CSV in UTF-8"
        }
        _ => "not text in UTF-8",
    })?;
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_a_line_without_an_end_is_refused() {
        let mut lines = LineReader::new("one\n\nlast".as_bytes(), 4);
        for (number, line) in [(1, "one\n"), (2, "\n"), (3, "last")] {
            assert_eq!(lines.next().unwrap().unwrap(), line.as_bytes());
            assert_eq!(lines.number(), number);
        }
        assert_eq!(lines.next().unwrap(), None);

        let mut lines = LineReader::new("\u{feff}one\n\u{feff}two".as_bytes(), 8);
        assert_eq!(lines.next().unwrap().unwrap(), b"one\n");
        assert_eq!(lines.next().unwrap().unwrap(), "\u{feff}two".as_bytes());

        let mut lines = LineReader::new(io::Read::chain("one\n".as_bytes(), io::repeat(0)), 4);
        assert!(lines.next().unwrap().is_some());
        let refused = lines.next().unwrap_err().to_string();
        assert_eq!(refused, "more than 4 bytes without a line end");
        assert_eq!(lines.number(), 2);
    }
}
