//! Which file of the source uses which other, read from its tokens.
//!
//! A file uses the files that define the items that its paths lead to: paths in `use`, and paths in
//! code. A re-export is not a use. It leads on, to the file that defines the item. Nor is it a use to
//! declare a module, or to bring its name in. Calls of methods name no file, so they are not seen.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The names of a path, or of a module in its parents.
type Names = Vec<String>;

/// A path in a file, which leads to an item that another file defines.
pub(crate) struct Use {
    pub(crate) from: PathBuf,
    pub(crate) path: String,
    pub(crate) to: PathBuf,
    /// Only tests are compiled with it.
    pub(crate) of_tests: bool,
}

#[derive(Default)]
struct Module {
    file: PathBuf,
    /// The names that it takes from elsewhere, with their paths.
    taken: BTreeMap<String, Names>,
    /// The modules from which it takes all names.
    globs: Vec<Names>,
    /// The names that it passes on. If its code has them too, it uses them.
    passed_on: Vec<String>,
    /// The paths in its code, with whether tests alone have them.
    paths: Vec<(Names, bool)>,
}

#[derive(Default)]
struct Modules(BTreeMap<Names, Module>);

/// The text of each source file, by path inside `src`.
pub(crate) fn sources() -> BTreeMap<PathBuf, String> {
    fn add(dir: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                add(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    add(&src, &mut files);
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path.strip_prefix(&src).unwrap().to_owned(), text)
    };
    files.into_iter().map(read).collect()
}

/// All uses of the library, without those inside one file.
pub(crate) fn uses() -> Vec<Use> {
    let mut modules = Modules::default();
    for (file, text) in sources() {
        if file == Path::new("main.rs") {
            continue; // a crate of its own
        }
        let names = file.with_extension("");
        let names = names.iter().map(|name| name.to_str().unwrap().to_owned());
        let at: Names = names
            .filter(|name| name != "lib" && name != "mod")
            .collect();
        let of_tests = at.iter().any(|name| name == "tests");
        modules.module(&at, &file);
        let tokens = text.parse().unwrap();
        modules.read(tokens, &at, &file, of_tests);
    }
    modules.uses()
}

impl Modules {
    fn module(&mut self, at: &[String], file: &Path) -> &mut Module {
        let module = self.0.entry(at.to_owned()).or_default();
        file.clone_into(&mut module.file);
        module
    }

    fn read(&mut self, tokens: TokenStream, at: &Names, file: &Path, of_tests: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is = |at: usize, text| {
            tokens
                .get(at)
                .is_some_and(|token| token.to_string() == text)
        };
        // Until the end of an item of tests.
        let mut in_item = false;
        let mut next = 0;
        while let Some(token) = tokens.get(next) {
            let of_tests = of_tests || in_item;
            let here = next;
            next += 1;
            match token {
                TokenTree::Ident(word) if word == "use" && !is(next, "<") => {
                    while !is(next, ";") {
                        next += 1;
                    }
                    let public =
                        here > 0 && (is(here - 1, "pub") || here > 1 && is(here - 2, "pub"));
                    self.take(&tokens[here + 1..next], Vec::new(), at, public, of_tests);
                }
                TokenTree::Ident(word) if word == "mod" => {
                    let inside = [&at[..], &[tokens[next].to_string()]].concat();
                    if let Some(TokenTree::Group(body)) = tokens.get(next + 1) {
                        self.module(&inside, file);
                        self.read(body.stream(), &inside, file, of_tests);
                        next += 1;
                    }
                    next += 1;
                    in_item = false;
                }
                TokenTree::Ident(word) => {
                    let mut path = vec![word.to_string()];
                    while let Some(TokenTree::Ident(word)) = tokens.get(next + 2)
                        && is(next, ":")
                        && is(next + 1, ":")
                    {
                        path.push(word.to_string());
                        next += 3;
                    }
                    // After a point stands a field or a method, and after `fn` a new name.
                    if here == 0 || !is(here - 1, ".") && !is(here - 1, "fn") {
                        self.module(at, file).paths.push((path, of_tests));
                    }
                }
                TokenTree::Group(group) => {
                    in_item |= group.stream().to_string() == "cfg (test)";
                    self.read(group.stream(), at, file, of_tests);
                    in_item &= group.delimiter() != Delimiter::Brace;
                }
                _ => in_item &= !is(here, ";"),
            }
        }
    }

    /// Takes the names of a `use`, which may be a tree.
    fn take(
        &mut self,
        tree: &[TokenTree],
        mut path: Names,
        at: &Names,
        public: bool,
        of_tests: bool,
    ) {
        let module = self.0.get_mut(at).unwrap();
        let mut name = None;
        for (place, token) in tree.iter().enumerate() {
            match token {
                TokenTree::Group(list) => {
                    let list: Vec<TokenTree> = list.stream().into_iter().collect();
                    for tree in list.split(|token| token.to_string() == ",") {
                        self.take(tree, path.clone(), at, public, of_tests);
                    }
                    return;
                }
                TokenTree::Punct(star) if star.as_char() == '*' => {
                    module.globs.push(path);
                    return;
                }
                TokenTree::Ident(word) if word == "as" => {
                    name = Some(tree[place + 1].to_string());
                    break;
                }
                TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
                TokenTree::Ident(word) => path.push(word.to_string()),
                _ => {}
            }
        }
        // A path of one name is a crate, or a macro of the same file.
        if path.len() > 1 {
            let name = name.unwrap_or_else(|| path.last().unwrap().clone());
            if public {
                module.passed_on.push(name.clone());
            } else {
                module.paths.push((path.clone(), of_tests));
            }
            module.taken.insert(name, path);
        }
    }

    /// The module that defines the item of a path. `None` if the path is that of a module, or if it
    /// leads to another crate.
    fn definition(&self, at: &[String], path: &[String]) -> Option<&Module> {
        let (first, rest) = path.split_first()?;
        let inside = match first.as_str() {
            "crate" => return self.definition(&[], rest),
            "super" => return self.definition(&at[..at.len() - 1], rest),
            "self" => return self.definition(at, rest),
            _ => [at, &path[..1]].concat(),
        };
        let module = &self.0[at];
        if !rest.is_empty() && self.0.contains_key(&inside) {
            return self.definition(&inside, rest);
        }
        if let Some(taken) = module.taken.get(first) {
            // An item with the name of its crate.
            if taken[0] == *first && !self.0.contains_key(&inside) {
                return None;
            }
            return self.named(at, &[taken, rest].concat());
        }
        if self.0.contains_key(&inside) {
            return None;
        }
        Some(module)
    }

    /// The definition of a path as code has it, where the first name may be that of another crate or
    /// of a variable.
    fn named(&self, at: &[String], path: &[String]) -> Option<&Module> {
        let first = &path[0];
        let module = &self.0[at];
        let known = ["crate", "super", "self"].contains(&first.as_str())
            || module.taken.contains_key(first)
            || self.0.contains_key(&[at, &path[..1]].concat());
        if known {
            return self.definition(at, path);
        }
        let globs = module.globs.iter().filter(|glob| glob[0] == "super");
        globs
            .filter_map(|glob| self.named(&at[..at.len() - glob.len()], path))
            .next()
    }

    fn uses(&self) -> Vec<Use> {
        let mut uses = Vec::new();
        for (at, module) in &self.0 {
            for (path, of_tests) in &module.paths {
                // A name alone was seen where it was taken, unless it is passed on.
                if path.len() == 1 && !module.passed_on.contains(&path[0]) {
                    continue;
                }
                if let Some(definition) = self.named(at, path)
                    && definition.file != module.file
                {
                    uses.push(Use {
                        from: module.file.clone(),
                        path: path.join("::"),
                        to: definition.file.clone(),
                        of_tests: *of_tests,
                    });
                }
            }
        }
        uses
    }
}
