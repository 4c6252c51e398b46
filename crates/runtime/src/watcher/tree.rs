//! The components of the watched paths, as a tree.

use std::ffi::OsStr;
use std::hash::{BuildHasher as _, BuildHasherDefault};
use std::ops::{Index, IndexMut};
use std::path::PathBuf;

use hashbrown::HashTable;
use resources::Scope;
use rustc_hash::FxHasher;
use smallvec::SmallVec;

/// The node of `/`.
pub(super) const ROOT: usize = 0;

/// A component of a path.
#[derive(Default)]
pub(super) struct Node {
    name: Box<OsStr>,
    parent: u32,
    /// Almost all nodes are files, which have no children. The table holds the nodes only, because they have the names.
    children: Option<Box<HashTable<u32>>>,
    pub(super) state: State,
    /// Almost all nodes have one.
    pub(super) subscribers: SmallVec<[Subscriber; 1]>,
    /// Whether it was made because a node above has a recursive subscription.
    pub(super) walked: bool,
    pub(super) used: bool,
}

pub(super) struct Subscriber {
    pub(super) serial: u64,
    pub(super) token: u64,
    pub(super) scope: Scope,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum State {
    /// A watch is not needed or was not tried.
    #[default]
    Unwatched,
    Watched {
        wd: i32,
        full: bool,
    },
    /// The directory does not exist; the watch of its parent reports its creation.
    Missing,
    /// The kernel refused a watch.
    Refused,
}

/// The nodes, by their number.
pub(super) struct Tree {
    nodes: Vec<Node>,
    free: Vec<u32>,
}

impl Tree {
    /// Makes a tree of the root only.
    pub(super) fn new() -> Tree {
        Tree { nodes: vec![Node { used: true, ..Node::default() }], free: Vec::new() }
    }

    /// Returns the node as far as it exists; the number may be that of a removed one.
    pub(super) fn get_mut(&mut self, node: usize) -> Option<&mut Node> {
        self.nodes.get_mut(node)
    }

    pub(super) fn parent(&self, node: usize) -> usize {
        self.nodes[node].parent as usize
    }

    pub(super) fn child(&self, node: usize, name: &OsStr) -> Option<usize> {
        let children = self.nodes[node].children.as_deref()?;
        children.find(hash(name), |child| *self.name(*child) == *name).map(|child| *child as usize)
    }

    pub(super) fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        self.nodes[node].children.iter().flat_map(|children| children.iter()).map(|child| *child as usize)
    }

    pub(super) fn has_children(&self, node: usize) -> bool {
        self.nodes[node].children.is_some()
    }

    /// Returns the child of that name, which is made if it does not exist.
    pub(super) fn child_or_new(&mut self, parent: usize, name: &OsStr) -> usize {
        if let Some(child) = self.child(parent, name) {
            return child;
        }
        let node = Node { name: name.into(), parent: parent as u32, used: true, ..Node::default() };
        let child = match self.free.pop() {
            Some(free) => {
                self.nodes[free as usize] = node;
                free
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u32
            }
        };
        let mut children = self.nodes[parent].children.take().unwrap_or_default();
        children.insert_unique(hash(name), child, |child| hash(self.name(*child)));
        self.nodes[parent].children = Some(children);
        child as usize
    }

    /// Removes a node without children, which is not the root.
    pub(super) fn remove(&mut self, node: usize) {
        let Node { name, parent, .. } = std::mem::take(&mut self.nodes[node]);
        self.free.push(node as u32);
        let siblings = &mut self.nodes[parent as usize].children;
        if let Some(siblings) = siblings
            && let Ok(entry) = siblings.find_entry(hash(&name), |sibling| *sibling as usize == node)
        {
            entry.remove();
        }
        siblings.take_if(|siblings| siblings.is_empty());
    }

    /// Returns the path from the root to the node.
    pub(super) fn path(&self, mut node: usize) -> PathBuf {
        let mut names = Vec::new();
        while node != ROOT {
            names.push(&*self.nodes[node].name);
            node = self.parent(node);
        }
        let mut path = PathBuf::from("/");
        path.extend(names.into_iter().rev());
        path
    }

    /// Returns the number of nodes.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    fn name(&self, node: u32) -> &OsStr {
        &self.nodes[node as usize].name
    }
}

impl Index<usize> for Tree {
    type Output = Node;

    fn index(&self, node: usize) -> &Node {
        &self.nodes[node]
    }
}

impl IndexMut<usize> for Tree {
    fn index_mut(&mut self, node: usize) -> &mut Node {
        &mut self.nodes[node]
    }
}

fn hash(name: &OsStr) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_of_a_file_needs_little_memory() {
        // There is one for each watched path, up to hundreds of thousands.
        assert!(size_of::<Node>() <= 72, "{} bytes", size_of::<Node>());
    }

    #[test]
    fn removed_nodes_are_found_no_more_and_used_again() {
        let mut tree = Tree::new();
        let names: Vec<String> = (0..1000).map(|i| i.to_string()).collect();
        let directory = tree.child_or_new(ROOT, OsStr::new("d"));
        let nodes: Vec<usize> = names.iter().map(|name| tree.child_or_new(directory, OsStr::new(name))).collect();
        assert!(names.iter().zip(&nodes).all(|(name, node)| tree.child(directory, OsStr::new(name)) == Some(*node)));
        assert_eq!(tree.path(nodes[7]), PathBuf::from("/d/7"));
        for node in &nodes[1..] {
            tree.remove(*node);
        }
        assert!(tree.children(directory).eq([nodes[0]]));
        let again = tree.child_or_new(ROOT, OsStr::new("other"));
        assert!(nodes[1..].contains(&again), "its number is used again");
        tree.remove(nodes[0]);
        assert!(!tree.has_children(directory) && tree.child(directory, OsStr::new("0")).is_none());
    }
}
