//! The last step of a translation.

use std::sync::Arc;

use resource_graph::{Resource, ResourceId};

use crate::catalog::CatalogResource;
use crate::translate::native::Native;
use crate::translate::sensitive;

/// Makes a native resource a resource of the graph.
pub(super) fn finish(mut native: Native, from: &CatalogResource) -> Resource {
    sensitive::mark(&mut native, from);
    Resource {
        id: ResourceId { kind: native.kind.into(), name: native.name.into() },
        params: native.params.into_iter().map(|(k, v)| (Arc::from(k), v)).collect(),
        meta: native.meta.into(),
        sensitive: native.sensitive.into_iter().map(Arc::from).collect(),
        span: None,
        propagates_refresh: native.propagates_refresh,
        origin: from.origin().map(Arc::from),
    }
}
