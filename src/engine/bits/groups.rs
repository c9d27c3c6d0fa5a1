//! Numbers in groups.

/// Lists of numbers, one for each of the keys 0, 1, ... up to some number.
#[derive(Default)]
pub(crate) struct Groups {
    members: Vec<u32>,
    /// Where each key's members begin, and the end.
    starts: Vec<u32>,
}

impl Groups {
    /// Group pairs of a key below `keys` and a member.
    pub(crate) fn fill(&mut self, keys: usize, pairs: &[(u32, u32)]) {
        self.starts.clear();
        self.starts.resize(keys + 1, 0);
        for &(key, _) in pairs {
            self.starts[key as usize] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.members.clear();
        self.members.resize(pairs.len(), 0);
        // Each start was the end of its group, and moves down to its beginning.
        for &(key, member) in pairs {
            let start = &mut self.starts[key as usize];
            *start -= 1;
            self.members[*start as usize] = member;
        }
    }

    /// The members of a key.
    #[inline]
    pub(crate) fn of(&self, key: u32) -> &[u32] {
        let key = key as usize;
        &self.members[self.starts[key] as usize..self.starts[key + 1] as usize]
    }
}
