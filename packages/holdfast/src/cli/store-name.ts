/** A store's address as it may be shown: without the password of a database. */
export function storeName(address: string): string {
  return address.replace(/^(postgres(?:ql)?:\/\/[^:@/]*):[^@/]*@/, "$1:***@");
}
