package dev.holdfast.runtime.internal.instance;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.recovery.Difference;
import dev.holdfast.recovery.HistoryPage;
import dev.holdfast.recovery.Neighbor;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.recovery.Restoration;
import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.runtime.internal.turn.Bookmarks;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectFileFormat;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PastImage;
import dev.holdfast.spi.PointInTimeRecovery;
import dev.holdfast.spi.PointInTimeRecovery.RequestedRestore;
import dev.holdfast.spi.inspect.StateDifference;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The past of one object. What needs its store is done in a separate turn of the object, between
 * its other turns. Thread-safe.
 */
public final class ObjectPast implements ObjectRecovery {

  private final Instances instances;
  private final ObjectKey key;
  private final NamedIds ids;
  private final @Nullable ObjectFileFormat files;

  /** Gives the ids of names. */
  @FunctionalInterface
  public interface NamedIds {

    /**
     * {@return the id of a name}
     *
     * @param name the name
     * @param near has the slot; null for the slot of the name
     */
    ObjectId of(String name, @Nullable Neighbor near);
  }

  /**
   * Creates the past of an object.
   *
   * @param instances the objects of its namespace
   * @param id the object
   * @param ids gives the ids of names in the namespace
   * @param files the files of single objects; null if the runtime has none
   */
  public ObjectPast(
      Instances instances, ObjectId id, NamedIds ids, @Nullable ObjectFileFormat files) {
    this.instances = instances;
    this.key = new ObjectKey(instances.name(), id);
    this.ids = ids;
    this.files = files;
  }

  @Override
  public String bookmarkForTime(Instant time) {
    return recovery().bookmarkAt(key, time);
  }

  @Override
  public HistoryPage history(int limit) {
    return page(limit, null);
  }

  @Override
  public HistoryPage history(int limit, String from) {
    return page(limit, from);
  }

  private HistoryPage page(int limit, @Nullable String from) {
    if (limit < 1 || limit > RuntimeBounds.HISTORY_PAGE_MAX) {
      throw new IllegalArgumentException(
          "The limit is from 1 to " + RuntimeBounds.HISTORY_PAGE_MAX + ", got " + limit);
    }
    return recovery().history(key, limit, from);
  }

  @Override
  public List<Restoration> restorations() {
    return recovery().restorations(key);
  }

  @Override
  public String restoreOnNextSession(String bookmark) {
    instances.lifecycle().admitFromOutside();
    RequestedRestore requested = recovery().requestRestore(key, bookmark);
    journal().awaitDurable(requested.position());
    return requested.undoBookmark();
  }

  @Override
  public boolean withdrawRestore() {
    instances.lifecycle().admitFromOutside();
    long position = recovery().withdrawRestore(key);
    journal().awaitDurable(position);
    return position != Journal.START;
  }

  @Override
  public List<Difference> diff(String from, String to) {
    // Only the making of the images needs the turn: the object continues while they are compared.
    try (PastImage.Pair images = imagesOf(from, to)) {
      return Differences.between(images, this::interrupted);
    }
  }

  /**
   * Compares two states with their values, and their alarms.
   *
   * @param from a bookmark; null for the present
   * @param to another one
   * @param max how many differences are returned
   * @return the first ones
   */
  public List<StateDifference> differences(@Nullable String from, @Nullable String to, int max) {
    try (PastImage.Pair images = imagesOf(from, to)) {
      return Differences.withValues(images, max, this::interrupted);
    }
  }

  private CallInterruptedException interrupted() {
    return new CallInterruptedException(
        key.namespace(), key.id(), "The comparison was ended, because its thread was interrupted.");
  }

  private PastImage.Pair imagesOf(@Nullable String first, @Nullable String second) {
    return made(bookmarks -> bookmarks.imagesOf(first, second), PastImage.Pair::close);
  }

  /**
   * {@return a copy of a state; the caller closes it}
   *
   * @param bookmark the state; null for the present
   */
  public PastImage imageOf(@Nullable String bookmark) {
    return made(bookmarks -> bookmarks.imageOf(bookmark), PastImage::close);
  }

  /** Closes copies that the caller does not get, because the object is reset behind the making. */
  private <I> I made(Function<Bookmarks, I> making, Consumer<I> closing) {
    refuseInObject();
    List<I> made = new ArrayList<>();
    try {
      inTurn(key.id(), bookmarks -> made.add(making.apply(bookmarks)));
      return made.removeFirst();
    } finally {
      made.forEach(closing);
    }
  }

  @Override
  public void fork(String bookmark, String name) {
    fork(bookmark, ids.of(name, null));
  }

  @Override
  public void fork(String bookmark, String name, Neighbor near) {
    fork(bookmark, ids.of(name, Objects.requireNonNull(near, "near")));
  }

  private void fork(String bookmark, ObjectId fork) {
    ShardRules.requireSameSlot(instances.parts(), key, fork);
    try (PastImage image = imageOf(bookmark)) {
      ForkOffer offer = new ForkOffer(image);
      if (!instances.offerFork(fork, offer)) {
        throw new IllegalStateException(
            "Another fork makes object "
                + fork.toDisplayString()
                + " at this moment; nothing was changed.");
      }
      RuntimeException failure = null;
      try {
        inTurn(
            fork,
            bookmarks -> {
              if (offer.take(bookmarks)) { // else taken when the instance was made
                awaitDurable(offer);
                // What the instance has read so far, in its constructor, say, is not true any more.
                bookmarks.reset("The object was rebuilt from a state of another.");
              }
              return fork;
            });
      } catch (RuntimeException e) {
        failure = e;
      } finally {
        instances.withdrawFork(fork, offer);
      }
      // From here on no call can take the offer. What counts is whether one has: this call may have
      // failed for another reason after another one had made the fork.
      if (offer.position() == null) {
        RuntimeException refusal = offer.refusal();
        throw failure != null ? failure : Objects.requireNonNull(refusal, "no call took the offer");
      }
      awaitDurable(offer);
    }
  }

  private void awaitDurable(ForkOffer offer) {
    journal().awaitDurable(Objects.requireNonNull(offer.position()));
  }

  @Override
  public void exportTo(Path file) {
    transfer().exportTo(file);
  }

  @Override
  public void importFrom(Path file) {
    transfer().importFrom(file);
  }

  private ObjectTransfer transfer() {
    if (files == null) {
      throw new IllegalStateException("This runtime was opened without a format of files.");
    }
    return new ObjectTransfer(instances, files, key.id());
  }

  /** Works with the object's bookmarks in a turn that runs no code of the object. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private <R> R inTurn(ObjectId id, Function<Bookmarks, R> work) {
    TurnDelivery delivery = (turn, _) -> work.apply(turn.bookmarks());
    try {
      Object result = instances.call(id, delivery, new Object[0]);
      return (R) Objects.requireNonNull(result);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("Reading the past of " + key + " failed", e);
    }
  }

  private PointInTimeRecovery recovery() {
    refuseInObject();
    return instances.parts().recovery();
  }

  private void refuseInObject() {
    ShardRules.refuseInObject(instances.parts(), key.namespace(), key.id());
  }

  private Journal journal() {
    return instances.parts().journal();
  }
}
