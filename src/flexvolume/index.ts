// What other folders may use: volumes of drivers that are programs.
export { DRIVER_FOLDER, DriverFolder } from './host/driver-folder.ts';
export { type FlexHost, FlexVolumes } from './host/flex-volumes.ts';
export { flexAttacher } from './controller/index.ts';
