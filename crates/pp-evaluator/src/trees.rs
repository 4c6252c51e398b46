//! The trees of templates that are parsed while a catalog is compiled.

use std::cell::OnceCell;

use pp_ast::Tree;

/// Trees that live as long as the compilation. Adding one does not move the others.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    // Each segment is twice as long as the one before it.
    segments: [OnceCell<Box<[OnceCell<Tree>]>>; 24],
}

impl Trees {
    /// Adds the tree with an index, which must be the number of trees so far. `None` if there are too many.
    pub(crate) fn add(&self, index: usize, tree: Tree) -> Option<&Tree> {
        let segment = (index + 1).ilog2() as usize;
        let offset = index + 1 - (1 << segment);
        let cells =
            self.segments.get(segment)?.get_or_init(|| (0..1_usize << segment).map(|_| OnceCell::new()).collect());
        Some(cells[offset].get_or_init(|| tree))
    }
}

#[cfg(test)]
mod tests {
    use mcl_diagnostics::FileId;

    use super::*;

    #[test]
    fn trees_keep_their_place() {
        let trees = Trees::default();
        let added: Vec<&Tree> =
            (0..100).filter_map(|index| trees.add(index, Tree::new(FileId(index as u32)))).collect();
        let files: Vec<u32> = added.iter().map(|tree| tree.file.0).collect();
        assert_eq!(files, (0..100).collect::<Vec<u32>>());
    }
}
