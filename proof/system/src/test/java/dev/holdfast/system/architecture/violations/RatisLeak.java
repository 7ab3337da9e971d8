package dev.holdfast.system.architecture.violations;

import org.apache.ratis.protocol.RaftPeerId;

/** Shows a type of the engine that replicates the log. */
record RatisLeak(RaftPeerId peer) {}
