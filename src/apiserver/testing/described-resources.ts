// The resources of discovery and OpenAPI, for tests that compare documents with recorded ones.
export { discoveredResource, documentedResource } from '../discovery/described-resource.ts';
