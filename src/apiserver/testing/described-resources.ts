// How resources are told to clients, for tests that compare documents with recorded ones.
export { discoveredResource, documentedResource } from '../discovery/described-resource.ts';
