/**
 * Holdfast with every part that works on one machine. A module that requires this one, or an image
 * that has it, gets the parts that {@code dev.holdfast} finds as services.
 */
module dev.holdfast.all {
  requires transitive dev.holdfast;
  requires dev.holdfast.archiver;
  requires dev.holdfast.backend.rocksdb;
  requires dev.holdfast.operator;
}
