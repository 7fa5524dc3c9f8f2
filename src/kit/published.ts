// The published `keelson`: the kit, and the client it works with.
export * from './index.ts';
export * from '../client/index.ts';
export type { WatchMapping } from './index.ts';
