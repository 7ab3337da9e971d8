package dev.holdfast.system.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ThrowTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The Javadoc of public methods names their exceptions: all in runtime-api, half elsewhere. */
final class ThrowsTest {

  /**
   * The share of the other modules' public methods that name their exceptions, of those with any.
   */
  private static final double SHARE_MIN = 0.5;

  private static final Pattern EXPORT = Pattern.compile("exports ([\\w.]+);");

  /** Methods of runtime-api that cannot fail; those of exceptions are left out. */
  private static final Set<String> CANNOT_FAIL =
      Set.of(
          "ConsumerOptions.withStart(ConsumerStart)",
          "EventHandler.cutOff(String)",
          "Neighbor.slot()",
          "TypeRef.type()",
          "NamespaceOptions.withCodec(Codec<?>)",
          "NamespaceOptions.withConsistency(Consistency)",
          "Migration.name()",
          "NamespaceOptions.withNewerMigrationsAllowed(boolean)",
          "Codec.decode(Object,Type)",
          "Codec.encode(T)",
          "Codec.of(Class<T>,Class<S>,Function<? super T, ? extends S>,Function<? super S, ?"
              + " extends T>)",
          "Codec.storedType()",
          "Codec.supports(Class<?>)",
          "ObjectAdmin.consumers()",
          "ArchiveContent.bytes()",
          "ArchiveContent.of(byte[])",
          "ArchiveOptions.to(ArchiveStore)",
          "ArchiveStatistics.minus(ArchiveStatistics)",
          "DirectoryArchive.<init>(Path)",
          "RestoreProgress.restored(long,long,long,long)",
          "RestoreRequest.of(RestoreTarget)",
          "RestoreRequest.withNamespace(String)",
          "RestoreRequest.withObject(String,String)",
          "RestoreRequest.withProgress(RestoreProgress)",
          "RestoreRequest.withoutPurged()",
          "RestoreResult.<init>(long,long,long,List<String>)",
          "RuntimeOptions.withArchive(ArchiveOptions)",
          "Health.<init>(HealthState,List<HealthReason>)",
          "ObjectRuntime.health()",
          "RuntimeOptions.withHealth(HealthOptions)",
          "RuntimeOptions.withOperatorSocket()",
          "RuntimeOptions.withShardRules(boolean)",
          "AlarmInfo.isRetry()",
          "AlarmOptions.withHeld()",
          "AlarmOptions.withListener(Listener)",
          "AlarmStatistics.minus(AlarmStatistics)",
          "CallFilter.rollbackOnException()",
          "CallStatistics.minus(CallStatistics)",
          "ClusterStatistics.<init>(SentCalls,ReceivedCalls,Ownerships,HistogramSnapshot,long,long,long,long,Map<String,"
              + " Long>,long)",
          "ClusterStatistics.minus(ClusterStatistics)",
          "ContextCarrier.textForm()",
          "DatabaseStatistics.minus(DatabaseStatistics)",
          "DatabaseStatistics.openings()",
          "DatabaseStatistics.saves()",
          "DeliveredCall.alarm()",
          "DeliveredCall.storage()",
          "FilteredCall.arguments()",
          "FilteredCall.headers()",
          "FilteredCall.id()",
          "FilteredCall.name()",
          "FilteredCall.namespace()",
          "FilteredCall.operation()",
          "Headers.asMap()",
          "Headers.get(String)",
          "Headers.isEmpty()",
          "Headers.kept()",
          "Headers.without(String)",
          "HistogramSnapshot.count()",
          "HistogramSnapshot.mean()",
          "HistogramSnapshot.minus(HistogramSnapshot)",
          "JournalStatistics.at(long,long)",
          "JournalStatistics.groups()",
          "JournalStatistics.lowWaterLag()",
          "JournalStatistics.minus(JournalStatistics)",
          "JournalStatistics.records()",
          "ListOptions.reversed()",
          "ListOptions.withEnd(String)",
          "ListOptions.withPrefix(String)",
          "ListOptions.withRead(ReadOptions)",
          "Listener.abandoned(String,AlarmStatus,Throwable)",
          "Listener.failed(String,AlarmStatus,Throwable)",
          "Listener.superseded(String,AlarmStatus,Throwable)",
          "MigrationOptions.asDryRun()",
          "MigrationOptions.withCursor(String)",
          "MigrationOptions.withProgress(Consumer<MigrationReport>)",
          "MigrationReport.<init>(long,long,long,List<Failure>,Optional<String>)",
          "NamespaceOptions.withAlarms(AlarmPolicy)",
          "NamespaceOptions.withSqlLimits(SqlLimits)",
          "NamespaceOptions.withStorage(StorageKind)",
          "NamespaceStatistics.<init>(long,long,CallStatistics,long,long,long,Map<ResetReason,"
              + " Long>,long,long,HistogramSnapshot,HistogramSnapshot,HistogramSnapshot,HistogramSnapshot,AlarmStatistics)",
          "NamespaceStatistics.minus(NamespaceStatistics)",
          "ObjectContext.clock()",
          "ObjectContext.id()",
          "ObjectContext.namespace()",
          "ObjectContext.storage()",
          "ObjectId.name()",
          "ObjectId.toBytes()",
          "ObjectId.toDisplayString()",
          "ObjectListOptions.withCursor(String)",
          "ObjectListOptions.withPrefix(String)",
          "ObjectNamespace.alarms()",
          "ObjectNamespace.name()",
          "ObjectNamespace.newUniqueId()",
          "ObjectRuntime.admin()",
          "ObjectRuntime.statistics()",
          "ObjectStorage.schedules()",
          "ObjectStorage.sql()",
          "ObjectStub.async(Call<? super T, R>)",
          "ObjectStub.blocking()",
          "ObjectStub.id()",
          "ObjectStub.withHeaders(Headers)",
          "Ownerships.minus(Ownerships)",
          "ReadOptions.concurrent()",
          "ReadOptions.uncached()",
          "ReceivedCalls.minus(ReceivedCalls)",
          "RocksDbStatistics.minus(RocksDbStatistics)",
          "RuntimeStatistics.<init>(RuntimeState,long,RecoveryStatistics,JournalStatistics,DatabaseStatistics,RocksDbStatistics,ValueCacheStatistics,ArchiveStatistics,ClusterStatistics,List<ConsumerStatus>,Map<String,"
              + " NamespaceStatistics>)",
          "RuntimeStatistics.minus(RuntimeStatistics)",
          "ScheduledTask.cancel()",
          "SentCalls.minus(SentCalls)",
          "SqlCursor.raw()",
          "SqlLimits.withSchemaChanges(boolean)",
          "SqlResult.columnNames()",
          "SqlResult.rowsRead()",
          "SqlResult.rowsWritten()",
          "SqlResult.stream()",
          "SqlRow.toMap()",
          "SqlRow.values()",
          "TimeSource.isOfOperatingSystem()",
          "TimeSource.monotonicNanos()",
          "TimeSource.newThread(Runnable)",
          "TimeSource.schedule(long,Runnable)",
          "TimeSource.wallMillis()",
          "Timer.cancel()",
          "ValueCacheStatistics.minus(ValueCacheStatistics)",
          "Wait.isOver()",
          "WriteOptions.uncached()",
          "WriteOptions.unconfirmed()");

  /** Methods of the other modules that look as if they can fail, and cannot. */
  private static final Set<String> NEVER_FAIL =
      Set.of(
          "ApiRequest.header(String)",
          "ApiRequest.withBody(ByteBuffer)",
          "ApiRequest.withClient(String)",
          "ArchiveRestore.<init>(ArchiveStore,Host)",
          "BasicRuleset.<init>()",
          "CatalogBacklog.add(long,ObjectKey,CatalogChange)",
          "CatalogBacklog.lowestPosition()",
          "CatalogBacklog.putBack(List<Waiting>)",
          "CatalogBacklog.saved()",
          "CatalogBacklog.takeDurable(long)",
          "Decision.<init>(String,long,Instant,FirewallAction,String,List<MatchedRule>,Set<String>)",
          "Detection.withCategories(List<String>,List<String>)",
          "EngineBuilder.alarmOptions()",
          "EngineBuilder.archive(JournalArchive)",
          "EngineBuilder.backend(StorageKind,StorageBackend)",
          "EngineBuilder.beginRecovery(TimeSource)",
          "EngineBuilder.closeLast(AutoCloseable)",
          "EngineBuilder.dataDirectory(Path,Disk)",
          "EngineBuilder.endRecovery(TimeSource,Path,long)",
          "EngineBuilder.namespaces()",
          "EngineBuilder.operations()",
          "EngineBuilder.options()",
          "EngineBuilder.recoveryWindows()",
          "EngineBuilder.uses(StorageKind)",
          "Filter.of(String)",
          "Filter.stored(String)",
          "Filter.withId(String)",
          "FilterExpression.canonical()",
          "FirewallAction.word()",
          "FirewallDecisions.decisions()",
          "FirewallDecisions.failures()",
          "FirewallFilter.<init>(HttpApi,SiteOptions)",
          "Grant.allows(Permission)",
          "Grant.coversZone(String)",
          "HttpApi.admit(ApiRequest)",
          "HttpApi.handle(ApiRequest)",
          "HttpApi.isHealthy()",
          "HttpApi.openApi()",
          "HttpApi.refusal(int,String)",
          "HttpApi.withReportBase(String)",
          "HttpApiOptions.withClock(InstantSource)",
          "HttpApiOptions.withFeed(ReputationFeed)",
          "HttpApiOptions.withFetcher(ScriptFetcher,ScriptScorer)",
          "HttpApiOptions.withRandom(RandomGenerator)",
          "HttpApiOptions.withReportBase(String)",
          "HttpApiOptions.withUndecided(Undecided)",
          "Ids.isDomain(String)",
          "Ids.isId(String)",
          "Ids.next(RandomGenerator)",
          "InMemoryBackend.<init>(Journal)",
          "InMemoryBackend.failFrom(Operation,ObjectKey)",
          "InMemoryBackend.failNext(Operation,ObjectKey)",
          "InMemoryBackend.heal()",
          "InMemoryBackend.objectCount()",
          "InMemoryBackend.openTurnCount()",
          "InMemoryJournal.<init>()",
          "InMemoryJournal.breakAfterNextAppend(Error)",
          "InMemoryJournal.fail(Exception)",
          "InMemoryJournal.forgetful()",
          "InMemoryJournal.refuseNextAppend(RuntimeException)",
          "InMemoryJournal.syncCount()",
          "InMemoryJournal.trimBefore(long)",
          "IncomingImage.directory()",
          "JournalOptions.segmentBytesAfter(long)",
          "JournaledRecovery.<init>(Journal,JournalHistory,TimeSource,Function<String, Duration>)",
          "JournaledRecovery.<init>(Journal,JournalHistory,TimeSource,Map<String, Duration>)",
          "JsArray.<init>()",
          "JsArray.<init>(Collection<?>)",
          "JsArray.entryCount()",
          "JsArray.has(long)",
          "JsBuffer.byteLengthMax()",
          "JsBuffer.fixed(byte[])",
          "JsError.message()",
          "JsError.name()",
          "JsError.of(String,String)",
          "JsError.plain(String,String)",
          "JsMap.<init>(Map<?, ?>)",
          "JsObject.<init>()",
          "JsObject.<init>(Map<String, ? extends @Nullable Object>)",
          "JsSet.<init>(Collection<?>)",
          "JsView.toByteArray()",
          "Listing.change(ObjectKey,CatalogChange.@Nullable Alarms,boolean)",
          "Listing.sealed(CatalogChange)",
          "MigrationState.word()",
          "MonitorPolicy.of(String,String,String)",
          "MonitorPolicy.withId(String)",
          "MonitorSettings.on()",
          "Naming.name(String,ObjectId,boolean)",
          "OutgoingImage.<init>(Disk,Path,TimeSource,long)",
          "OutgoingImage.dropIfSilent()",
          "OutgoingImage.floor()",
          "OutgoingImage.offer(ImageMaker,LongSupplier,Function<ViewImage, Map<String, byte[]>>)",
          "OutgoingImage.withdraw()",
          "Owner.mayLead(boolean)",
          "Owner.owns(ShardJournal)",
          "PageRange.all(long)",
          "PageRequest.of(String,WebUrl,Map<String, List<String>>,Instant)",
          "RefusalDetail.<init>(int,String)",
          "RefusalDetail.about(String,String)",
          "RefusalDetail.at(String)",
          "RemoteWait.begin()",
          "RemoteWait.callers(Naming)",
          "Reporting.isWorker(Map<String, List<String>>)",
          "ReportingOptions.of(InstantSource,RandomGenerator,ZoneChanges)",
          "Ruleset.next(String,String,String)",
          "ServerOptions.withAddress(InetSocketAddress)",
          "ServerOptions.withBodies(int,int)",
          "ServerOptions.withConnections(int)",
          "ServerOptions.withRequestLog(Consumer<String>)",
          "ServerOptions.withTimeouts(Duration,Duration,Duration)",
          "ShardJournal.epoch()",
          "ShardJournal.recoveryLog()",
          "ShardJournal.whenProven(DurabilityListener)",
          "ShardReplica.lastPosition()",
          "Erasing.<init>(long,Set<ObjectKey>)",
          "Owner.askPurged(Collection<NodeId>,PurgedAnswer)",
          "PurgedAnswer.failed(RuntimeException)",
          "PurgedAnswer.said(long,long,NodeId)",
          "ReplicaPurge.awaitsErasing()",
          "ReplicaPurge.waitsFor()",
          "ReplicaPurge.erasing(long)",
          "SealedSegments.purged()",
          "SiteGuard.<init>(HttpApi,SiteOptions)",
          "SiteGuard.mayGetHeaders(Asked,String,boolean)",
          "SiteOptions.withChallenge(Challenge)",
          "SiteOptions.withDecisions(Consumer<Decision>)",
          "SiteOptions.withEscapedSlashes(boolean)",
          "SiteRequest.header(String)",
          "SiteRequest.headers()",
          "SiteRequest.of(String,String,Map<String, List<String>>,String)",
          "SiteRequest.refusal()",
          "SiteRequest.refused(Refusal)",
          "SiteRequest.target()",
          "SiteRequest.url()",
          "SiteRequest.webUrl()",
          "SiteRequest.withBody(ByteBuffer,boolean)",
          "SiteRequest.withDecodedBody(ByteBuffer)",
          "SqliteBackend.<init>(Journal,StorageThreads,TimeSource,Disk,SqliteOptions)",
          "SqliteBackend.<init>(Journal,StorageThreads,TimeSource,Disk,SqliteOptions,StorageEvents)",
          "SqliteBackend.rebuildFrom(JournalHistory)",
          "SystemTimeSource.<init>()",
          "Undecided.word()",
          "VirtualClock.<init>()",
          "VirtualClock.<init>(Instant)",
          "VirtualClock.now()",
          "VirtualClock.pendingTimers()",
          "VirtualClock.untilNextTimer()",
          "WebUrl.isSecure()",
          "WebUrl.origin()",
          "WebUrl.parse(String)",
          "WebUrl.port()",
          "WebUrl.resolve(String)",
          "ZoneChanges.add(String)",
          "ZoneChanges.count(String)",
          "ZoneProfile.covers(String)",
          "ZoneProfile.withMatchesAllowed(boolean)",
          "ZoneReply.json(int,String)",
          "ZoneReply.noContent()");

  @Test
  void everyMethodOfTheApiNamesItsExceptions() throws IOException {
    Methods methods = Methods.of("runtime-api");

    assertThat(methods.count).isGreaterThan(150);
    assertThat(methods.silent).containsExactlyInAnyOrderElementsOf(CANNOT_FAIL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "alarms",
        "archive",
        "backend-kv-rocksdb",
        "backend-sql-sqlite",
        "backup",
        "cluster",
        "embedded",
        "filter-expression",
        "firewall",
        "http-api",
        "http-server",
        "journal",
        "log-ratis",
        "page-monitor",
        "pitr",
        "runtime",
        "runtime-spi",
        "shards",
        "structured-clone",
        "testkit",
        "zone"
      })
  void halfOfTheMethodsOfAModuleNameTheirExceptions(String module) throws IOException {
    Methods methods = Methods.of(module);
    int named = methods.count - methods.silent.size();

    assertThat(named)
        .as("of %d that can fail; without: %s", named + methods.failing.size(), methods.failing)
        .isGreaterThanOrEqualTo((int) Math.ceil(SHARE_MIN * (named + methods.failing.size())));
  }

  /** Collects the public methods of a module's exported packages. */
  private static final class Methods extends TreePathScanner<@Nullable Void, @Nullable Void> {

    /** Those that name no exception. */
    private final Set<String> silent = new TreeSet<>();

    /** Of these, those that look as if they can fail. */
    private final Set<String> failing = new TreeSet<>();

    private @Nullable DocTrees docs;
    private int count;

    static Methods of(String module) throws IOException {
      Path root = Path.of("../..", module, "src/main/java");
      Set<Path> exported =
          EXPORT
              .matcher(Files.readString(root.resolve("module-info.java")))
              .results()
              .map(export -> root.resolve(export.group(1).replace('.', '/')))
              .collect(Collectors.toUnmodifiableSet());
      Methods methods = new Methods();
      methods.scanAll(root, exported);
      return methods;
    }

    private void scanAll(Path root, Set<Path> exported) throws IOException {
      JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
      try (var manager = compiler.getStandardFileManager(null, null, null);
          Stream<Path> files = Files.walk(root)) {
        List<Path> sources =
            files
                .filter(file -> file.toString().endsWith(".java"))
                .filter(file -> exported.contains(file.getParent()))
                .toList();
        JavacTask task =
            (JavacTask)
                compiler.getTask(
                    null, manager, null, null, null, manager.getJavaFileObjectsFromPaths(sources));
        docs = DocTrees.instance(task);
        for (CompilationUnitTree unit : task.parse()) {
          scan(unit, null);
        }
      }
    }

    /** Only types that others see. */
    @Override
    public @Nullable Void visitClass(ClassTree type, @Nullable Void nothing) {
      boolean nestedInInterface =
          getCurrentPath().getParentPath().getLeaf() instanceof ClassTree owner
              && owner.getKind() == Tree.Kind.INTERFACE;
      return nestedInInterface || type.getModifiers().getFlags().contains(Modifier.PUBLIC)
          ? super.visitClass(type, nothing)
          : null;
    }

    @Override
    public @Nullable Void visitMethod(MethodTree method, @Nullable Void nothing) {
      ClassTree type = (ClassTree) getCurrentPath().getParentPath().getLeaf();
      String owner = type.getSimpleName().toString();
      if (isPublic(method, type) && !isOverride(method) && !owner.endsWith("Exception")) {
        count++;
        if (!namesException(getCurrentPath())) {
          String signature =
              method.getParameters().stream()
                  .map(parameter -> parameter.getType().toString())
                  .collect(Collectors.joining(",", owner + "." + method.getName() + "(", ")"));
          silent.add(signature);
          if (canFail(method) && !NEVER_FAIL.contains(signature)) {
            failing.add(signature);
          }
        }
      }
      return null;
    }

    /**
     * A method fails through what it calls, makes or throws: one that only returns or keeps a value
     * cannot. Of those without a body, one that takes nothing and returns a value is read as an
     * accessor.
     */
    private static boolean canFail(MethodTree method) {
      if (!method.getThrows().isEmpty()) {
        return true;
      }
      if (method.getBody() == null) {
        return !method.getParameters().isEmpty()
            || method.getReturnType().toString().equals("void");
      }
      return Boolean.TRUE.equals(
          new TreeScanner<Boolean, @Nullable Void>() {
            @Override
            public Boolean visitMethodInvocation(
                MethodInvocationTree call, @Nullable Void nothing) {
              return true;
            }

            @Override
            public Boolean visitNewClass(NewClassTree made, @Nullable Void nothing) {
              return true;
            }

            @Override
            public Boolean visitThrow(ThrowTree thrown, @Nullable Void nothing) {
              return true;
            }

            @Override
            public Boolean reduce(Boolean one, Boolean other) {
              return Boolean.TRUE.equals(one) || Boolean.TRUE.equals(other);
            }
          }.scan(method.getBody(), null));
    }

    private static boolean isPublic(MethodTree method, ClassTree type) {
      Set<Modifier> flags = method.getModifiers().getFlags();
      return switch (type.getKind()) {
        case INTERFACE -> !flags.contains(Modifier.PRIVATE);
        default -> flags.contains(Modifier.PUBLIC) || flags.contains(Modifier.PROTECTED);
      };
    }

    /** A method of the JDK, such as equals, is documented there. */
    private boolean isOverride(MethodTree method) {
      return method.getModifiers().getAnnotations().stream()
              .anyMatch(each -> each.getAnnotationType().toString().equals("Override"))
          && !namesException(getCurrentPath());
    }

    private boolean namesException(TreePath method) {
      DocCommentTree comment = docs == null ? null : docs.getDocCommentTree(method);
      return comment != null
          && comment.getBlockTags().stream().anyMatch(tag -> tag.getKind() == DocTree.Kind.THROWS);
    }
  }
}
