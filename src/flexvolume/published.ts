// The public entry point `keelson/flexvolume`: volume drivers that are programs, written in TypeScript.
export {
  type AttachCall,
  type ExpandCall,
  type FlexVolumeAnswer,
  flexVolumeDriver,
  type FlexVolumeDriver,
  type FlexVolumeDriverDefinition,
  type MountCall,
  type MountDeviceCall,
} from './kit/flex-volume-driver.ts';
export type { DriverOptions, DriverPod } from './kit/driver-options.ts';
