//! Comments before definitions.

use pp_ast::TextRange;

use crate::context::Context;

/// Returns the comments on the lines directly before an offset, one after the other.
pub(crate) fn before<'a>(context: &Context<'a>, start: u32) -> &'a [TextRange] {
    let comments = &context.map.comments;
    let end = comments.partition_point(|comment| comment.end <= start);
    let (mut first, mut next) = (end, start);
    while first > 0 {
        let comment = comments[first - 1];
        let gap = context.slice(TextRange { start: comment.end, end: next });
        if !gap.trim().is_empty() || gap.matches('\n').count() > 1 {
            break;
        }
        (first, next) = (first - 1, comment.start);
    }
    &comments[first..end]
}
