import type { StorageOptions } from '../../server-only.ts';
import { FlagError } from '../flag.ts';
import type { FlagDefinitions, FlagValues } from '../flag.ts';

/** Flags that say who encrypts what is stored, under upstream's names. */
export const encryptionFlags: FlagDefinitions = {
  'encryption-provider-config': {
    type: 'string',
    value: 'FILE',
    help: 'Encrypt what is stored, as this EncryptionConfiguration says',
  },
  'encryption-provider-config-automatic-reload': {
    type: 'boolean',
    help: 'Follow changes of that file, once a minute',
  },
};

export function encryptionSettings(flags: FlagValues): Pick<StorageOptions, 'encryption'> {
  const path = flags.text('encryption-provider-config');
  const isReloading = flags.isSet('encryption-provider-config-automatic-reload');
  if (path !== undefined) return { encryption: { path, isReloading } };
  if (!isReloading) return {};
  throw new FlagError('--encryption-provider-config-automatic-reload must be set with --encryption-provider-config');
}
