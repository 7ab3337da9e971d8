package dev.holdfast.log.ratis;

import dev.holdfast.spi.log.ReplicatedLog;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.ReflectionUtils;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;

/** The settings of Ratis; {@code docs/records/decisions.md} has the reason for each. */
final class RatisSettings {

  /** Also what Ratis takes for the longest entry when it reads a file. */
  static final long APPENDER_BYTES = 2L * ReplicatedLog.ENTRY_BYTES_MAX;

  private static final long WRITE_BUFFER_BYTES = APPENDER_BYTES + (64 << 10);
  private static final long MESSAGE_BYTES_MAX = 2 * APPENDER_BYTES;
  private static final long PREALLOCATED_BYTES_MAX = 256L << 10;
  private static final int CACHED_SEGMENTS_MAX = 2;

  /** What may wait to be accepted: all parts of a group of the longest record, with its events. */
  private static final long PENDING_BYTES_MAX = 64L << 20;

  /** How many failovers a node that is added may be silent; it opens its logs meanwhile. */
  private static final long STAGING_FAILOVERS = 5;

  private static final long STEP_DOWN_MILLIS_MAX = 1000;

  /** As Ratis has it, but without an end: after the last one it would wait no more. */
  private static final String RETRIES = "1ms,10, 1s,20, 5s," + Integer.MAX_VALUE;

  private RatisSettings() {}

  static RaftProperties of(RatisOptions options) {
    RaftProperties properties = new RaftProperties();
    RpcType appenders = new RepeatingAppender.Rpc();
    // Ratis finds it by its name, in the loader of its own classes if it does not know it yet.
    ReflectionUtils.getClassByNameOrNull(appenders.name(), RatisSettings.class.getClassLoader());
    RaftConfigKeys.Rpc.setType(properties, appenders);
    GrpcConfigKeys.Server.setHost(properties, options.address().getHostString());
    GrpcConfigKeys.Server.setPort(properties, options.address().getPort());
    GrpcConfigKeys.setMessageSizeMax(properties, SizeInBytes.valueOf(MESSAGE_BYTES_MAX));
    times(properties, options.failover().toMillis());
    log(properties, options.segmentBytes());
    return properties;
  }

  private static void times(RaftProperties properties, long failoverMillis) {
    TimeDuration least = millis(failoverMillis / 2);
    TimeDuration most = millis(failoverMillis);
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, least);
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, most);
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, least);
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, most);
    RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(
        properties, millis(Math.min(STEP_DOWN_MILLIS_MAX, failoverMillis / 2)));
    RaftServerConfigKeys.setStagingTimeout(properties, millis(STAGING_FAILOVERS * failoverMillis));
    RaftServerConfigKeys.RetryCache.setExpiryTime(
        properties, TimeDuration.valueOf(2, TimeUnit.SECONDS));
    // A pause is no reason to close the server for good.
    RaftServerConfigKeys.setCloseThreshold(properties, TimeDuration.valueOf(10_000, TimeUnit.DAYS));
  }

  private static void log(RaftProperties properties, long segmentBytes) {
    SizeInBytes segment = SizeInBytes.valueOf(segmentBytes);
    RaftServerConfigKeys.Log.setSegmentSizeMax(properties, segment);
    RaftServerConfigKeys.Log.setSegmentCacheNumMax(properties, CACHED_SEGMENTS_MAX);
    RaftServerConfigKeys.Log.setSegmentCacheSizeMax(properties, segment);
    RaftServerConfigKeys.Log.setPreallocatedSize(
        properties, SizeInBytes.valueOf(Math.min(PREALLOCATED_BYTES_MAX, segmentBytes)));
    RaftServerConfigKeys.Log.setWriteBufferSize(
        properties, SizeInBytes.valueOf(WRITE_BUFFER_BYTES));
    RaftServerConfigKeys.Write.setByteLimit(properties, SizeInBytes.valueOf(PENDING_BYTES_MAX));
    RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
    RaftServerConfigKeys.Log.setPurgeGap(properties, 1);
    RaftServerConfigKeys.Log.Appender.setWaitTimeMin(properties, TimeDuration.ZERO);
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(
        properties, SizeInBytes.valueOf(APPENDER_BYTES));
    RaftServerConfigKeys.Log.Appender.setInstallSnapshotEnabled(properties, false);
    RaftServerConfigKeys.Log.Appender.setRetryPolicy(properties, RETRIES);
    RaftServerConfigKeys.Log.setCorruptionPolicy(
        properties, RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION);
    RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(properties, false);
    RaftServerConfigKeys.Snapshot.setTriggerWhenRemoveEnabled(properties, false);
  }

  private static TimeDuration millis(long millis) {
    return TimeDuration.valueOf(millis, TimeUnit.MILLISECONDS);
  }

  static Parameters parameters(
      @Nullable LogTls tls,
      JoinedShards joined,
      CheckedRequests requests,
      SharedHeartbeats heartbeats) {
    Parameters parameters = new Parameters();
    GrpcConfigKeys.Server.setServicesCustomizer(
        parameters,
        joined.customizer(
            requests, heartbeats.service(), tls == null ? null : new EveryConnection(tls.trust())));
    if (tls != null) {
      GrpcConfigKeys.TLS.setConf(
          parameters, new GrpcTlsConfig(tls.keys(), tls.trust(), /* mTlsEnabled= */ true));
    }
    return parameters;
  }
}
