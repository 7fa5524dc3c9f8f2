import type { ControllerSettings } from '../../../controllers/index.ts';
import type { Part } from '../../../kit/index.ts';
import type { SimulatedStorageOptions } from '../simulated-storage.ts';

/** The controllers of a cluster. */
export interface ControllersOptions extends SimulatedStorageOptions {
  /** Which controllers run; default the built-in ones. A function chooses among them and may add others. */
  readonly controllers?: boolean | ((builtIn: readonly Part[]) => readonly Part[]);
  /** How the built-in controllers work, where that differs from upstream's defaults. */
  readonly controllerSettings?: ControllerSettings;
}
