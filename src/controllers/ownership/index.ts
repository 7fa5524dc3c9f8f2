// What the controllers share about who controls what.
export { claim, type ClaimRequest } from './claim.ts';
export { controllerOf, controllerReference, isControlledBy, orphansByNamespace } from './controller-reference.ts';
export { type Claim, decideClaim } from './decide-claim.ts';
export { ownerKeys, type SelectorOf } from './owner-keys.ts';
export { isNamespaceTerminating } from './namespace-terminating.ts';
