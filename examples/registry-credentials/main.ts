import { registryCredentials } from './registry-credentials.ts';

void registryCredentials(process.argv[2] ?? '/etc/registry-credentials').main();
