// What the controllers share about the history that ControllerRevisions keep.
export { dataOfTemplate, isSameData, type RevisionData, templateOfData } from './revision-data.ts';
export { revisionHash } from './revision-hash.ts';
export { byRevision, nextRevision, type Revision } from './revision-order.ts';
