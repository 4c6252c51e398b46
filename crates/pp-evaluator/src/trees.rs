//! The trees of templates and of the files of modules, which are parsed while a catalog is compiled.

use std::cell::OnceCell;
use std::sync::Arc;

use pp_ast::Tree;

/// A tree, and where it belongs.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The tree.
    pub tree: Tree,
    /// The module of a manifest; `None` for a template.
    pub module: Option<Arc<str>>,
}

/// Trees that live as long as the compilation. Adding one does not move the others.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    // Each segment is twice as long as the one before it.
    segments: [OnceCell<Box<[OnceCell<Entry>]>>; 24],
}

impl Trees {
    /// Adds the tree with an index, which no other has. `None` if there are too many.
    pub(crate) fn add(&self, index: usize, entry: Entry) -> Option<&Entry> {
        let segment = (index + 1).ilog2() as usize;
        let offset = index + 1 - (1 << segment);
        let cells =
            self.segments.get(segment)?.get_or_init(|| (0..1_usize << segment).map(|_| OnceCell::new()).collect());
        Some(cells[offset].get_or_init(|| entry))
    }

    /// Returns the trees.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.segments.iter().filter_map(OnceCell::get).flat_map(|cells| cells.iter().filter_map(OnceCell::get))
    }
}

#[cfg(test)]
mod tests {
    use mcl_diagnostics::FileId;

    use super::*;

    #[test]
    fn trees_keep_their_place() {
        let trees = Trees::default();
        let entry = |index: usize| Entry { tree: Tree::new(FileId::from_u32(index as u32)), module: None };
        let added: Vec<&Entry> = (0..100).filter_map(|index| trees.add(index, entry(index))).collect();
        let files: Vec<u32> = added.iter().map(|entry| entry.tree.file.as_u32()).collect();
        assert_eq!(files, (0..100).collect::<Vec<u32>>());
        assert_eq!(trees.iter().count(), 100);
    }
}
