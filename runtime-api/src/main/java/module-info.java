/** What an application sees of Holdfast: runtime, namespaces, ids, stubs, storage and SQL. */
module dev.holdfast.api {
  requires static transitive org.jspecify;

  exports dev.holdfast;
  exports dev.holdfast.alarm;
  exports dev.holdfast.archive;
  exports dev.holdfast.codec;
  exports dev.holdfast.errors;
  exports dev.holdfast.event;
  exports dev.holdfast.filter;
  exports dev.holdfast.health;
  exports dev.holdfast.migration;
  exports dev.holdfast.recovery;
  exports dev.holdfast.sql;
  exports dev.holdfast.statistics;
  exports dev.holdfast.storage;
}
