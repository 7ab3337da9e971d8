package dev.holdfast.journal.shard;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.image.IncomingImage;
import dev.holdfast.journal.image.OutgoingImage;
import dev.holdfast.journal.image.ReplicaImage;
import dev.holdfast.journal.replica.IncomingParts;
import dev.holdfast.journal.replica.OwnedPositions;
import dev.holdfast.journal.replica.ReplicaSegments;
import dev.holdfast.journal.replica.Saved;
import dev.holdfast.journal.replica.SavedFile;
import dev.holdfast.journal.replica.SavedPoint;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.log.LogPlace;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.Replica.Fetched;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Brings a copy of a shard up to what another node has, when the log has dropped the entries
 * between: fetches segments, and files of the objects if the records are gone too, and puts them in
 * the place of what is here.
 *
 * <p>{@link #fetch} and the installation are called by the log; everything else is thread-safe.
 */
final class CatchingUp {

  private final Disk disk;
  private final Path directory;
  private final ShardHost host;
  private final Files files;
  private final ReplicaProgress progress;
  private final ReplicaHistory history;
  private final ReplicaSaver saver;

  /** Held while segments of another node are fetched. */
  private final ReentrantLock fetching = new ReentrantLock();

  private volatile boolean isFetching;

  /** What was fetched last; it may not be in its place yet. Guarded by {@link #fetching}. */
  private @Nullable CatchUp last;

  /** The files of the replica that change. */
  record Files(
      Segments segments,
      ReplicaSegments written,
      IncomingParts incoming,
      SavedFile saved,
      ReplicaRounds rounds) {}

  /**
   * @param directory of the replica
   */
  CatchingUp(
      Disk disk,
      Path directory,
      ShardHost host,
      Files files,
      ReplicaProgress progress,
      ReplicaHistory history,
      ReplicaSaver saver) {
    this.disk = disk;
    this.directory = directory;
    this.host = host;
    this.files = files;
    this.progress = progress;
    this.history = history;
    this.saver = saver;
  }

  /** {@return whether segments of another node are fetched now} */
  boolean isFetching() {
    return isFetching;
  }

  /**
   * {@return what another node has, to be installed; null if there is no other node}
   *
   * @param atLeastIndex the entry that the other one must have
   */
  @Nullable Fetched fetch(long atLeastIndex) {
    ReplicaSource others = host.owner().others();
    if (others == null) {
      return null;
    }
    CatchUp fetched;
    fetching.lock();
    isFetching = true;
    try {
      ReplicaSource source = new WhileOpen(others);
      fetched =
          CatchUp.fetch(
              disk, directory, files.segments(), progress.applied(), source, atLeastIndex);
      last = fetched;
    } catch (JournalCorruptException e) {
      host.owner().fetchedDamage();
      throw e;
    } finally {
      isFetching = false;
      fetching.unlock();
    }
    ReplicaState state = fetched.state();
    return new Fetched() {
      @Override
      public LogPlace place() {
        return new LogPlace(state.index(), state.term());
      }

      @Override
      public void install() {
        CatchingUp.this.install(fetched);
      }
    };
  }

  /**
   * Deletes what was fetched from another node and is not needed: the log has brought it.
   *
   * @return false if something is being fetched, or is about to be put in its place
   */
  boolean discardFetched() throws IOException {
    if (!fetching.tryLock()) {
      return false;
    }
    try {
      CatchUp fetched = last;
      progress.lock().lock();
      try {
        if (fetched != null && progress.isBehind(fetched.state())) {
          return false;
        }
      } finally {
        progress.lock().unlock();
      }
      SealedSegments.discardCopies(disk, files.segments().directory());
      CatchUp.discardOld(disk, files.segments().directory(), Long.MAX_VALUE);
      IncomingImage.discard(disk, directory);
      OutgoingImage.discard(disk, directory); // one that could not be deleted; none is made now
      return true;
    } finally {
      fetching.unlock();
    }
  }

  /** Waits for the end of what is fetched. The replica is closed already, so no other follows. */
  void awaitEnd(Runnable task) {
    fetching.lock();
    try {
      task.run();
    } finally {
      fetching.unlock();
    }
  }

  /** Nothing is written any more when the replica is closed: the next one has the same files. */
  private final class WhileOpen implements ReplicaSource {

    private final ReplicaSource others;

    WhileOpen(ReplicaSource others) {
      this.others = others;
    }

    @Override
    public ReplicaState state(long segment) {
      requireOpen();
      return others.state(segment);
    }

    @Override
    public byte[] read(long segment, long offset) {
      requireOpen();
      return others.read(segment, offset);
    }

    @Override
    public long purged() {
      return others.purged();
    }

    @Override
    public ReplicaImage image() {
      requireOpen();
      return others.image();
    }

    @Override
    public byte[] readImage(long image, int file, long offset) {
      requireOpen();
      return others.readImage(image, file, offset);
    }

    @Override
    public void releaseImage(long image) {
      others.releaseImage(image);
    }

    private void requireOpen() {
      progress.throwIfFailed();
      if (progress.isClosed()) {
        throw new JournalFailedException("The replica of the shard was closed.", null);
      }
    }
  }

  private void install(CatchUp fetched) {
    if (fetched.ofFiles() == null) {
      installInOrder(fetched);
      return;
    }
    boolean isBehind;
    progress.lock().lock();
    try {
      isBehind = progress.isBehind(fetched.state());
      if (isBehind) {
        progress.end("The others have dropped entries and records that this node does not have.");
      }
    } finally {
      progress.lock().unlock();
    }
    if (isBehind) {
      host.owner().whileClosed(() -> installInOrder(fetched));
    } else {
      installInOrder(fetched); // nothing is replaced, so no objects are closed for it
    }
  }

  /** In order with the saves: they sync and close the files that may be replaced. */
  private void installInOrder(CatchUp fetched) {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    saver.run(
        () -> {
          installNow(fetched);
          done.complete(true);
        });
    host.saver().execute(() -> done.complete(false)); // later than true, or than the failure
    if (!done.join()) {
      progress.throwIfFailed();
      throw new JournalFailedException(
          "What was fetched from another node was not put in its place.", null);
    }
  }

  private void installNow(CatchUp fetched) {
    boolean isBehind;
    progress.lock().lock();
    try {
      isBehind = progress.isBehind(fetched.state());
      Saved ofFiles = fetched.ofFiles();
      if (isBehind && ofFiles != null) {
        replaceWithFiles(fetched, ofFiles);
      } else if (isBehind) {
        replaceBy(fetched);
      }
    } catch (IOException e) {
      throw new DataDirectoryException(
          directory,
          "What was fetched from another node cannot be made durable ("
              + e.getMessage()
              + "); this replica stops. Make room on the disk, or repair it, and open it again: the"
              + " other nodes go on",
          e);
    } finally {
      progress.lock().unlock();
    }
    if (!isBehind) {
      saver.saveNow(); // the log has brought it meanwhile
    }
  }

  /**
   * The replica becomes what that of the owner would be after a crash: the checkpoints that the
   * owner has appended before it copied its files are of the files that are here now.
   *
   * @param ofFiles what the owner has said of them
   */
  private void replaceWithFiles(CatchUp fetched, Saved ofFiles) throws IOException {
    assert progress.lock().isHeldByCurrentThread();
    SavedPoint point = fetched.state().point();
    progress.end("The others have dropped entries and records that this node does not have.");
    files.incoming().discard();
    files.written().close();
    NodeId next = fetched.state().owner() == null ? null : new NodeId(fetched.state().owner());
    Saved state =
        new Saved(point, progress.incarnation(), ofFiles.lowWaterMark(), ofFiles.owned(), next);
    fetched.placeWithFiles(directory, state);
    files.written().discardSpares(); // they may have records that the others have purged
    history.forget(fetched.firstSegment());
    progress.replaceWithFiles(state);
    goOn(state, ofFiles.lowWaterMark());
  }

  private void replaceBy(CatchUp fetched) throws IOException {
    assert progress.lock().isHeldByCurrentThread();
    ReplicaState there = fetched.state();
    SavedPoint point = there.point();
    SavedPoint before = progress.applied();
    // Checkpoints that this node has appended and that are only in the fetched part do not count as
    // its own. Its files may be ahead of those that do, and of what this replica had.
    boolean mayBeAhead =
        progress.owned().isOpen()
            || (before.journalId() != 0
                && files.rounds().horizon(before.journalId(), progress.owned())
                    > before.lastPosition());
    progress.end("The log has dropped entries that this node does not have.");
    files.incoming().discard();
    // Only entries without records may have been fetched: then the own segments stay, and `saved`
    // states that they are durable.
    files.written().force(files.written().newest());
    files.written().close();
    fetched.place();
    if (mayBeAhead) {
      files.rounds().reach(point.journalId(), point.lastPosition());
    }
    NodeId next = there.owner() == null ? null : new NodeId(there.owner());
    // If the fetched part ends in an ownership of this node, its files may have what comes next.
    OwnedPositions owned =
        mayBeAhead && host.node().equals(next)
            ? progress.owned().begin(point.lastPosition() + 1)
            : progress.owned();
    Saved state = new Saved(point, progress.incarnation(), progress.lowWaterMark(), owned, next);
    files.saved().write(state);
    progress.replace(state);
    goOn(state, before.lastPosition() + 1);
  }

  /**
   * @param behind the first position that no round may have read
   */
  private void goOn(Saved state, long behind) throws IOException {
    SavedPoint point = state.point();
    NodeId next = state.owner();
    files.written().resume(point);
    history.know();
    history.countFrom(behind);
    history.beginsAt(point.index());
    host.owner().owned(next, next == null ? point.index() : point.epoch());
  }
}
