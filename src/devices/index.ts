// What other folders may use: device plugins and DRA drivers on nodes.
export { CdiFolder } from './cdi/cdi-folder.ts';
export { cdiProblems, parseCdiName } from './cdi/cdi-spec.ts';
export { draProtocols } from './dra/dra-protocols.ts';
export { draDevices } from './dra/dra-devices.ts';
export { withDraDrivers, withDraMetrics } from './dra/with-dra-drivers.ts';
export { nodeSlices } from './dra/node-slices.ts';
export { DraDrivers, type DraDriversParts, type RegisteredDriver } from './dra/dra-drivers.ts';
export { DevicePlugins, type DevicePluginsParts } from './host/device-plugins.ts';
export { DEVICE_PLUGINS, openWithDevicePlugins, pluginDevices, withPluginMetrics } from './host/with-device-plugins.ts';
export { DEVICE_PLUGIN_VERSION, KUBELET_SOCKET } from './host/registration-socket.ts';
export * as devicePluginProtocol from './protocol/device-plugin-v1beta1.ts';
export type { PluginMessages } from './plugin-messages.ts';
