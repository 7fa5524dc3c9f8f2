// What the rest of the kit may use: API servers behind the cluster's.
// The errors that storages throw.
export { alreadyExists, conflict, expired, notFound } from '../../api/client.ts';
export type { ApiAnswer, ApiCall, LocalApiHandler, LocalApis } from './api-call.ts';
export { api } from './api.ts';
export type { Api, ApiColumn, ApiResource, ApiServerOptions, AppApis } from './api-resource.ts';
export { OWN_SERVICE_NEED } from './api-registration.ts';
export { ApiServer, apiServer } from './api-server.ts';
export type { ApiChange, ApiContext, ApiList, ApiQuery, ApiStorage, ApiUser, ApiWatchQuery } from './api-storage.ts';
export { memoryStorage, type MemoryStorageOptions } from './memory-storage.ts';
