// The controller manager's half, which needs nothing of nodes.
export { flexAttacher } from './flex-attacher.ts';
export { DRIVER_FOLDER } from '../host/driver-folder.ts';
