package dev.holdfast.cluster.object;

import dev.holdfast.AlarmStatus;
import dev.holdfast.ObjectFileException;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.Page;
import dev.holdfast.cluster.member.MemberAddress;
import dev.holdfast.cluster.member.ShardMembers;
import dev.holdfast.cluster.shard.ArchivePurges;
import dev.holdfast.event.ConsumerStart;
import dev.holdfast.event.ConsumerStatus;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.migration.MigrationOptions;
import dev.holdfast.migration.MigrationReport;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.OperatorService;
import dev.holdfast.recovery.Difference;
import dev.holdfast.recovery.HistoryPage;
import dev.holdfast.recovery.Restoration;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.FileSum;
import dev.holdfast.spi.inspect.Inspectable;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.statistics.RuntimeStatistics;
import dev.holdfast.storage.ListOptions;
import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a shard that this node owns, on its runtime.
 *
 * @param runtime of the shard
 * @param journal the ownership
 * @param types finds the interface of a namespace, or throws
 * @param mover moves the shard to a node
 * @param members changes which nodes keep the shard
 * @param operations those for operators
 * @param archive purges the archive of the shard
 * @param staged files that travel
 * @param rules writes what operators have said about placement
 */
public record OwnerOperations(
    ObjectRuntime runtime,
    ShardJournal journal,
    Function<String, Class<?>> types,
    Function<NodeId, String> mover,
    ShardMembers members,
    OperatorService operations,
    ArchivePurges archive,
    StagedFiles staged,
    Rules rules)
    implements ShardOperations {

  /** Writes what operators have said about placement. */
  @FunctionalInterface
  public interface Rules {

    /**
     * Writes it, as the owner of the first shard.
     *
     * @param epoch of the ownership
     * @param last what it is to follow
     * @param next what is said
     * @return what was written
     */
    String change(long epoch, String last, String next);
  }

  /** Objects that are migrated before the caller hears of them, as on one machine. */
  private static final int MIGRATED_AT_ONCE = 100;

  private ObjectNamespace<?> namespace(String name) {
    return runtime.namespace(name, types.apply(name));
  }

  @Override
  public Page<ObjectId> list(String namespace, ObjectListOptions options) {
    return namespace(namespace).list(options);
  }

  @Override
  public Page<AlarmStatus> pending(String namespace, Optional<String> cursor, int limit) {
    return namespace(namespace).alarms().pending(cursor, limit);
  }

  @Override
  public Page<AlarmStatus> abandoned(String namespace, Optional<String> cursor, int limit) {
    return namespace(namespace).alarms().abandoned(cursor, limit);
  }

  @Override
  public boolean rearm(String namespace, ObjectId id, String name, Instant time) {
    return namespace(namespace).alarms().rearm(id, name, time);
  }

  @Override
  public boolean discard(String namespace, ObjectId id, String name) {
    return namespace(namespace).alarms().discard(id, name);
  }

  @Override
  public String transfer(String node) {
    NodeId to = new NodeId(node);
    members.requireCopyOn(to);
    return mover.apply(to);
  }

  @Override
  public long position() {
    return journal.durablePosition();
  }

  @Override
  public List<String> memberNames() {
    return members.names();
  }

  @Override
  public void addMember(String member) {
    members.add(MemberAddress.parse(member));
  }

  @Override
  public boolean removeCopy(String node, int left) {
    return members.removeCopy(new NodeId(node), left);
  }

  @Override
  public void removeLost(String node) {
    members.removeLost(new NodeId(node));
  }

  @Override
  public void dismissCopy(String node) {
    members.dismiss(new NodeId(node));
  }

  @Override
  public String changeRules(String last, String next) {
    return rules.change(journal.epoch(), last, next);
  }

  @Override
  public byte[] segment(long segment, long offset) {
    return journal.sealed().read(segment, offset);
  }

  @Override
  public long purgedSegments() {
    return journal.sealed().purged();
  }

  @Override
  public void purgeHistory(String namespace, ObjectId id) {
    var _ = runtime.admin().purgeHistory(namespace, id); // isPurging says what becomes of it
  }

  @Override
  public long purgeArchive(long number) {
    return archive.ended(number);
  }

  @Override
  public boolean isPurging(String namespace, ObjectId id) {
    return runtime instanceof Inspectable inspectable
        && inspectable.inspected().inspection().isPurging(new ObjectKey(namespace, id));
  }

  @Override
  public byte[] operate(byte[] request) {
    OperatorRequest asked = ShardAnswers.read(request);
    ShardAnswers.Taken taken = new ShardAnswers.Taken(asked);
    try {
      return taken.end(operations.perform(asked, taken)).toBytes();
    } catch (UnsupportedOperationException e) { // what a shard alone cannot do
      throw new OperatorException(Reason.FAILED, String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public RuntimeStatistics statistics() {
    return runtime.statistics();
  }

  @Override
  public boolean exists(String namespace, ObjectId id) {
    return runtime.admin().exists(namespace, id);
  }

  @Override
  public long size(String namespace, ObjectId id) {
    return runtime.admin().size(namespace, id);
  }

  @Override
  public List<String> keys(String namespace, ObjectId id, ListOptions options) {
    return runtime.admin().keys(namespace, id, options);
  }

  @Override
  public List<String> tables(String namespace, ObjectId id) {
    return runtime.admin().tables(namespace, id);
  }

  @Override
  public Map<String, Long> versions(String namespace) {
    return runtime.admin().versions(namespace);
  }

  @Override
  public MigrationReport migrateSome(String namespace, boolean isDryRun, Optional<String> cursor) {
    MigrationOptions some =
        new MigrationOptions(
            isDryRun,
            cursor,
            report -> {
              if (report.migrated() + report.current() + report.failed() >= MIGRATED_AT_ONCE) {
                throw new SomeMigrated(report);
              }
            });
    try {
      return runtime.admin().migrateAll(namespace, some);
    } catch (SomeMigrated e) {
      return e.report;
    }
  }

  /** Ends a run of {@code migrateAll}, as what a receiver of progress throws does. */
  private static final class SomeMigrated extends RuntimeException {

    @Serial private static final long serialVersionUID = 1L;

    private final transient MigrationReport report;

    private SomeMigrated(MigrationReport report) {
      super(null, null, /* enableSuppression= */ false, /* writableStackTrace= */ false);
      this.report = report;
    }
  }

  @Override
  public boolean evict(String namespace, ObjectId id) {
    return runtime.admin().evict(namespace, id);
  }

  @Override
  public boolean reset(String namespace, ObjectId id) {
    return runtime.admin().reset(namespace, id);
  }

  @Override
  public String restoreNow(String namespace, ObjectId id, String bookmark) {
    return runtime.admin().restoreNow(namespace, id, bookmark);
  }

  @Override
  public boolean delete(String namespace, ObjectId id) {
    return runtime.admin().delete(namespace, id);
  }

  @Override
  public List<ConsumerStatus> consumers() {
    return runtime.admin().consumers();
  }

  @Override
  public void resetConsumer(String topic, String consumer, ConsumerStart start) {
    runtime.admin().resetConsumer(topic, consumer, start);
  }

  @Override
  public boolean removeConsumer(String topic, String consumer) {
    return runtime.admin().removeConsumer(topic, consumer);
  }

  @Override
  public String bookmarkForTime(String namespace, ObjectId id, Instant time) {
    return runtime.recovery(namespace, id).bookmarkForTime(time);
  }

  @Override
  public HistoryPage history(String namespace, ObjectId id, int limit, @Nullable String from) {
    return from == null
        ? runtime.recovery(namespace, id).history(limit)
        : runtime.recovery(namespace, id).history(limit, from);
  }

  @Override
  public List<Restoration> restorations(String namespace, ObjectId id) {
    return runtime.recovery(namespace, id).restorations();
  }

  @Override
  public String restoreOnNextSession(String namespace, ObjectId id, String bookmark) {
    return runtime.recovery(namespace, id).restoreOnNextSession(bookmark);
  }

  @Override
  public boolean withdrawRestore(String namespace, ObjectId id) {
    return runtime.recovery(namespace, id).withdrawRestore();
  }

  @Override
  public List<Difference> diff(String namespace, ObjectId id, String from, String to) {
    return runtime.recovery(namespace, id).diff(from, to);
  }

  @Override
  public void fork(String namespace, ObjectId id, String bookmark, String name) {
    runtime.recovery(namespace, id).fork(bookmark, name);
  }

  @Override
  public void fork(String namespace, ObjectId id, String bookmark, String name, ObjectId near) {
    runtime.recovery(namespace, id).fork(bookmark, name, near);
  }

  /** Does something with a staged file. */
  @FunctionalInterface
  private interface FileWork<R> {
    R run() throws IOException;
  }

  /** {@return what the work gives; its errors are about the file} */
  private static <R> R file(String namespace, ObjectId id, FileWork<R> work) {
    try {
      return work.run();
    } catch (IOException e) {
      throw new ObjectFileException(
          namespace, id, Path.of(""), String.valueOf(e.getMessage()), e.getCause());
    }
  }

  @Override
  public FileSum exportFile(String namespace, ObjectId id, long number) {
    return file(
        namespace,
        id,
        () -> {
          staged.begin(number, runtime.admin().size(namespace, id));
          return staged.use(
              number,
              file -> {
                runtime.recovery(namespace, id).exportTo(file);
                return staged.sum(file);
              });
        });
  }

  @Override
  public byte[] readFile(String namespace, ObjectId id, long number, long offset) {
    return file(namespace, id, () -> staged.read(number, offset));
  }

  @Override
  public void beginFile(String namespace, ObjectId id, long number, long bytes) {
    file(
        namespace,
        id,
        () -> {
          staged.begin(number, bytes);
          return true;
        });
  }

  @Override
  public void writeFile(
      String namespace, ObjectId id, long number, String suffix, long offset, byte[] bytes) {
    file(
        namespace,
        id,
        () -> {
          staged.write(number, suffix, offset, bytes);
          return true;
        });
  }

  @Override
  public void importFile(String namespace, ObjectId id, long number, Map<String, FileSum> sums) {
    file(
        namespace,
        id,
        () ->
            staged.use(
                number,
                file -> {
                  staged.requireAll(file, sums);
                  runtime.recovery(namespace, id).importFrom(file);
                  return true;
                }));
  }

  @Override
  public void endFile(String namespace, ObjectId id, long number) {
    staged.drop(number);
  }
}
