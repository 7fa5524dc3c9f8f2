// Adoption and release of controlled objects, shared by the controllers.
export { claim, type ClaimRequest } from './claim.ts';
export { concernsOwners } from './concerns-owners.ts';
export { type Claim, decideClaim } from './decide-claim.ts';
export { orphansByNamespace } from './orphans.ts';
export { ownerKeys, type SelectorOf } from './owner-keys.ts';
