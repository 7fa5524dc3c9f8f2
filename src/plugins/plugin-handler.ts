/** A plugin as it describes itself, and the socket that it did so through. */
export interface Plugin {
  /** Such as `CSIPlugin`. */
  readonly type: string;
  readonly name: string;
  /** The path of the socket that serves the plugin: that of its answer, else the one it registered through. */
  readonly endpoint: string;
  readonly versions: readonly string[];
  /** The path of the socket in the watched folder. */
  readonly socket: string;
}

/** Takes the plugins of one type. What it throws reaches the plugin with the words of the error, and the plugin is tried again later. */
export interface PluginHandler {
  /** The plugins that it takes: `CSIPlugin`, `DRAPlugin` or `DevicePlugin`. */
  readonly type: string;
  /** Throws when the plugin cannot be used, such as for its versions. */
  validate(plugin: Plugin): void | Promise<void>;
  register(plugin: Plugin, signal: AbortSignal): Promise<void>;
  /** The socket is gone, or was made again: `register` follows then. Not called when the watcher stops. */
  deregister(plugin: Plugin): Promise<void>;
}
