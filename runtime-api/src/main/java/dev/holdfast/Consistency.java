package dev.holdfast;

/**
 * What a reply of an object in a cluster waits for, besides that a majority has what it depends on.
 * It makes a difference in a cluster only: on a single machine no other node can have the object.
 */
public enum Consistency {

  /**
   * The owner of an object proves for each reply that it still was the owner after the call had
   * run: a majority has agreed to a group of its journal that was proposed later. So an object is
   * linearizable, reads included, whatever clocks do. A reply of a call that only reads takes as
   * long as one of a call that writes; all replies that come meanwhile share the proof.
   */
  LINEARIZABLE,

  /**
   * The owner replies without a proof while its lease runs: for half a second, unless the options
   * of the cluster say otherwise, from the proposal on of the last group of its journal to which a
   * majority has agreed. A call that only reads then costs what it costs on a single machine. The
   * lease goes on while there are such calls; the first one after a while without any waits for a
   * proof. A node that takes a shard after an owner that was lost acknowledges nothing before 1.1
   * times the lease is over.
   *
   * <p><b>What clocks must do.</b> An object is as linearizable as with {@link #LINEARIZABLE} if
   * the clocks of the nodes that measure spans of time ({@link System#nanoTime}) run at the same
   * rate, to a tenth. What time of day they show does not matter. If the clock of an owner runs
   * slower than that or stands still, as while its virtual machine is suspended, migrated or
   * restored from a snapshot, the owner may answer with a state that another node has changed
   * since, for as long as its clock believes in the lease. No write is lost or done twice by that:
   * an owner needs the majority for each write. Only replies may be old.
   *
   * <p>Work that an object does outside ({@link ObjectContext#call}, {@link
   * ObjectContext#afterDurable}, calls of objects in other shards) waits for a proof all the same,
   * so a node that has lost the object does not begin any.
   */
  LEASE
}
