// What other folders may use: volumes that are folders of a node's disk.
export { LOCAL_DRIVER, LOCAL_NODE, localDriver, type LocalDriverOptions } from './local-driver.ts';
export { LocalStorage, type LocalStorageOptions } from './local-storage.ts';
export { type FolderQuotas, folderQuotas } from './folder-quotas.ts';
