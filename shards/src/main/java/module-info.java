/**
 * A shard of a cluster: a journal that a replicated log agrees about, its copies, the images that a
 * copy is made from, and the checks of what is on a disk.
 */
@SuppressWarnings("module") // a module that is built later is a friend of this one
module dev.holdfast.shards {
  requires transitive dev.holdfast.journal;
  requires static transitive org.jspecify;

  exports dev.holdfast.journal.check;
  exports dev.holdfast.journal.image;
  exports dev.holdfast.journal.replica to
      dev.holdfast.cluster;
  exports dev.holdfast.journal.shard;
}
