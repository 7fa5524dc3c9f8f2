import { ENCRYPTED_DATA, isEncrypted } from '../../apiserver/index.ts';
import { fresh, type Provider } from './provider.ts';

/** Unencrypted values; it refuses those of other providers. */
export const identity: Provider = {
  prefix: '',
  seal: (value) => value,
  open(value) {
    if (isEncrypted(value)) throw new Error(ENCRYPTED_DATA);
    return fresh(value);
  },
};
