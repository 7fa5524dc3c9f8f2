/*
 * What other folders may use: the registration of plugins by sockets in a folder, as kubelets do it.
 *
 * A handler takes the plugins of one type; the watcher finds them:
 *
 *   const watcher = new PluginWatcher({ folder: '/var/lib/kubelet/plugins_registry', handlers: [csi, dra], clock, random, log });
 *   await watcher.run(signal);
 *
 * For each socket the watcher calls GetInfo, then the handler's `validate` and `register`, then NotifyRegistrationStatus. `deregister`
 * follows when the socket is removed or made again. Plugins stay registered when the watcher stops.
 */
export type { Plugin, PluginHandler } from './plugin-handler.ts';
export { PluginWatcher, type PluginWatcherOptions } from './plugin-watcher.ts';
export * as pluginRegistration from './protocol/plugin-registration-v1.ts';
export { type PluginSocketOptions, servePluginSocket } from './plugin-socket.ts';
