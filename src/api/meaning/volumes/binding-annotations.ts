/** Set once the claim was bound: from then on, losing its volume makes it `Lost`. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** Set if the controller chose the binding, and so may undo it. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
/** The provisioner that made a volume. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** The CSI driver that has replaced an in-tree plugin. */
export const MIGRATED_TO = 'pv.kubernetes.io/migrated-to';
/** The node that the scheduler has chosen for the claim's first pod. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** The provisioner that is to make a claim's volume, under its current and its former key. */
export const PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
export const PROVISIONER_BETA = 'volume.beta.kubernetes.io/storage-provisioner';
