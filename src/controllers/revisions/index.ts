// ControllerRevision history, shared by the controllers.
export { dataOfTemplate, isSameData, type RevisionData, templateOfData } from './revision-data.ts';
export { revisionHash } from './revision-hash.ts';
export { byRevision, nextRevision, type Revision } from './revision-order.ts';
