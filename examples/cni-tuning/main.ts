import { tuning } from './cni-tuning.ts';

void tuning.main();
