//! A bounded cache that drops the least recently used entry first.

use std::collections::HashMap;
use std::hash::Hash;

use crate::error::Result;

/// Maximum number of files that a look-up keeps open. Many systems allow a process 256, and a
/// process may have several look-ups.
pub(crate) const OPEN_FILES: u64 = 64;

/// Number of parts in memory that weigh as much as one open file. Such parts are small.
const IN_MEMORY: u64 = 256;

/// The weight of a part with this number of open files, in a [`Cache::of_files`].
pub(crate) fn weight_of_files(files: u64) -> u64 {
    (files * IN_MEMORY).max(1)
}

/// Keeps values that are slow to make and cheap to clone, up to a bound on their total weight. The
/// newest value stays even if its weight exceeds the bound.
pub(crate) struct Cache<K, V> {
    entries: HashMap<K, CacheEntry<V>>,
    /// Number of calls so far, which serves as the time.
    now: u64,
    weight: u64,
    bound: u64,
}

struct CacheEntry<V> {
    value: V,
    weight: u64,
    used: u64,
}

impl<K: Copy + Eq + Hash, V: Clone> Cache<K, V> {
    /// An empty cache for a total weight of at most `bound`.
    pub(crate) fn new(bound: u64) -> Self {
        Self {
            entries: HashMap::new(),
            now: 0,
            weight: 0,
            bound,
        }
    }

    /// An empty cache for parts with at most `files` open files.
    pub(crate) fn of_files(files: u64) -> Self {
        Self::new(files * IN_MEMORY)
    }

    /// The value of a key. If the cache does not have the value, `make` returns it with its weight.
    ///
    /// # Errors
    ///
    /// The error of `make`; the cache does not change then.
    pub(crate) fn get_or_make(
        &mut self,
        key: K,
        make: impl FnOnce() -> Result<(V, u64)>,
    ) -> Result<V> {
        self.now += 1;
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.used = self.now;
            return Ok(entry.value.clone());
        }
        let (value, weight) = make()?;
        self.make_room(weight);
        self.weight += weight;
        let entry = CacheEntry {
            value: value.clone(),
            weight,
            used: self.now,
        };
        self.entries.insert(key, entry);
        Ok(value)
    }

    /// Remove the least recently used entries until another `weight` fits.
    fn make_room(&mut self, weight: u64) {
        while self.weight.saturating_add(weight) > self.bound {
            let entries = self.entries.iter();
            let oldest = entries.min_by_key(|(_, entry)| entry.used);
            let oldest = oldest.map(|(&key, _)| key);
            let Some(entry) = oldest.and_then(|key| self.entries.remove(&key)) else {
                return;
            };
            self.weight -= entry.weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::random::Random;

    /// The keys that a cache should keep, the most recently used first, computed with a list.
    fn kept(used: &[u64], bound: u64) -> Vec<u64> {
        let mut keys: Vec<u64> = Vec::new();
        for &key in used {
            if let Some(at) = keys.iter().position(|&other| other == key) {
                keys.remove(at);
                keys.insert(0, key);
                continue;
            }
            while !keys.is_empty() && keys.iter().sum::<u64>() + key > bound {
                keys.pop();
            }
            keys.insert(0, key);
        }
        keys
    }

    #[test]
    fn the_least_recently_used_entry_is_dropped_first() {
        let mut random = Random::new(7);
        for bound in [0, 1, 5, 20, 1000] {
            let mut cache = Cache::new(bound);
            let mut used = Vec::new();
            for _ in 0..300 {
                // The weight of a key is its number.
                let key = random.below(9) + 1;
                let was_kept = kept(&used, bound).contains(&key);
                let mut made = false;
                let value = cache.get_or_make(key, || {
                    made = true;
                    Ok((10 * key, key))
                });
                assert_eq!(value.unwrap(), 10 * key);
                assert_eq!(made, !was_kept, "{key} after {used:?} in {bound}");
                used.push(key);
                assert_eq!(cache.weight, kept(&used, bound).iter().sum::<u64>());
            }
        }
    }

    #[test]
    fn a_value_that_failed_is_made_again() {
        let mut cache = Cache::new(10);
        let failed = cache.get_or_make(1, || Err(Error::Stopped));
        assert!(matches!(failed, Err(Error::Stopped)));
        assert_eq!(cache.get_or_make(1, || Ok((7, 1))).unwrap(), 7);
    }
}
