// How resources are told to clients, for tests that compare documents with recorded ones.
export { discoveredResource } from '../discovery/discovered-resource.ts';
export { documentedResource } from '../discovery/documented-resource.ts';
