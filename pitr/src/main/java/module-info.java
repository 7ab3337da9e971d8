/** Point-in-time recovery: bookmarks, restores, history. */
module dev.holdfast.pitr {
  requires transitive dev.holdfast.spi;
  requires static transitive org.jspecify;

  exports dev.holdfast.pitr;
}
