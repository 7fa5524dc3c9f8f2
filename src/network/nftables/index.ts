export { Nft, NftError, type NftOptions } from './nft.ts';
export {
  type OwnedChange,
  type OwnedContent,
  type OwnedElement,
  OwnedTable,
  type SharedContainer,
} from './owned-table.ts';
