import { DRIVER_RETRIES } from './driver-backoff.ts';
import type { NodeDeployment } from './node-deployment.ts';

/** How the controllers of a driver work; what is left out is as the sidecar programs have it. */
export interface SidecarSettings {
  /** Volumes are named after this and the claim's uid; default `pvc`. */
  readonly volumeNamePrefix?: string;
  /** How many characters of the uid, without dashes, are used; default all of it, with dashes. */
  readonly volumeNameUuidLength?: number;
  /** The file system of volumes whose class names none; default the driver's choice. */
  readonly defaultFsType?: string;
  /** Tells the driver the names of claims, volumes and snapshots as parameters; default false. */
  readonly extraCreateMetadata?: boolean;
  /** Tells the driver only the place of the selected node; default all places, that one first. */
  readonly strictTopology?: boolean;
  /** Tells the driver all places for claims that bind at once; default true. */
  readonly immediateTopology?: boolean;
  /** Marks volumes of claims that are only read by many as read-only; default false. */
  readonly controllerPublishReadOnly?: boolean;
  /** Copies of snapshots keep the volume mode unless the content allows a change; default true. */
  readonly preventVolumeModeConversion?: boolean;
  /** Calls of the driver at once, for each kind of work; default 10. */
  readonly workers?: number;
  /** Between calls that the driver refuses; default a second, doubling to five minutes. */
  readonly retries?: { readonly initialDelay: number; readonly maxDelay: number };
  /** After an expansion that failed because the volume is in use, waits until no pod uses it; default true. */
  readonly handlesVolumesInUse?: boolean;
  /** Tells the driver the names of claims and volumes when a volume is modified; default false. */
  readonly extraModifyMetadata?: boolean;
  /** How often attachments are compared with what the driver lists; default a minute. */
  readonly reconcileSyncMs?: number;
  /** Volumes are named in their attributes as made by this; default not at all. */
  readonly identity?: string;
  /** Works for the volumes of one node only, beside processes for the others; default for all nodes. */
  readonly node?: NodeDeployment;
}

const WORKERS = 10;

/** How many calls run at once, and when a refused one is repeated. */
export function workOf({ workers = WORKERS, retries = DRIVER_RETRIES }: SidecarSettings): {
  readonly concurrency: number;
  readonly retries: { readonly initialDelay: number; readonly maxDelay: number };
} {
  return { concurrency: workers, retries };
}
