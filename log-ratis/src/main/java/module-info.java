/**
 * The log of a shard, replicated by Apache Ratis.
 *
 * <p>Ratis is no module: two of its jars share packages, and the name of a third would not be an
 * identifier. So it is not required here, but read from the class path.
 */
module dev.holdfast.log.ratis {
  requires transitive dev.holdfast.spi;
  requires static transitive org.jspecify;

  exports dev.holdfast.log.ratis;
}
