/** The claim was bound once: from then on it is lost when its volume is. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** The binding was the controller's choice, and so it may undo it. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
/** Who made a volume, by the name that its class has for it. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** The driver that has taken over from a plugin of Kubernetes' own. */
export const MIGRATED_TO = 'pv.kubernetes.io/migrated-to';
/** The node that the scheduler has chosen for the first pod of a claim. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** Who is to make the volume of a claim, under its present and its former name. */
export const PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
export const PROVISIONER_BETA = 'volume.beta.kubernetes.io/storage-provisioner';
