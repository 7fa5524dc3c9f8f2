import type { ControlPlaneOptions } from '../../cluster/index.ts';
import { UsageError } from '../command.ts';
import type { FlagDefinitions, Flags } from '../flags.ts';

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

export function encryptionSettings(flags: Flags): Pick<ControlPlaneOptions, 'encryption'> {
  const path = flags.text('encryption-provider-config');
  const isReloading = flags.isSet('encryption-provider-config-automatic-reload');
  if (path !== undefined) return { encryption: { path, isReloading } };
  if (!isReloading) return {};
  throw new UsageError('--encryption-provider-config-automatic-reload must be set with --encryption-provider-config');
}
