import { metadata } from './cni-metadata.ts';

void metadata.main();
