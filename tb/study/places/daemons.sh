# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Slurm and sshd for tests: on ports and in folders of their own under $work, with their own keys, on 127.0.0.1 only. They
# end with the test, however it ends. Their programs are those of the PATH, or those that `mpu test --long` has unpacked into
# build/daemons: their packages would start services.
daemons=${MPU_ROOT:-$PWD}/build/daemons
libraries=$(printf '%s:' "$daemons"/usr/lib/*-linux-gnu "$daemons"/usr/lib/*-linux-gnu/slurm-wlm)

# tool NAME: where it is; Debian's alternatives are links that unpacking does not make
tool() {
  local place
  for place in "$daemons"/usr/{sbin,bin}/"$1"{,-wlm} /usr/{sbin,bin}/"$1"{,-wlm}; do
    [[ ! -x $place ]] || { echo "$place"; return; }
  done
  echo "FAILED: $1 is missing: start this with mpu test --long, which unpacks it" >&2
  return 1
}

# Programs for users, as in the PATH of a host of a cluster: a script each, which finds its libraries.
users() { # FOLDER NAME...
  local to=$1 name place
  shift
  mkdir -p "$to"
  for name; do
    place=$(tool "$name") || return 1
    # shellcheck disable=SC2016
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%q exec %q "$@"\n' "$libraries" "$place" >"$to/$name"
    chmod +x "$to/$name"
  done
}

# When the test has ended in whatever way, the keeper ends what it has started and is not a daemon, which has PLACES_TEST=$work
# in its environment, and removes $work.
keep() {
  setsid bash -c '
    trap "" INT HUP TERM
    born() { local s; s=$(cat "/proc/$1/stat" 2>/dev/null) || return; set -- ${s##*) }; [[ $1 == [ZX] ]] || echo "${20}"; }
    first=$(born "$1")
    while [[ $(born "$1") == "$first" ]]; do sleep 0.2; done
    for n in 1 2 3; do
      for p in /proc/[0-9]*; do
        grep -qzxF "PLACES_TEST=$2" "$p/environ" 2>/dev/null && kill -9 "${p#/proc/}" 2>/dev/null
      done
      sleep 0.1
    done
    rm -rf "$2"' keeper $$ "$work" </dev/null >/dev/null 2>&1 &
  trap - EXIT
  export PLACES_TEST=$work
}

# daemon NAME COMMAND...: in the background, with its output in $work/NAME.log. It ends with the test, with all that it has
# started (keep.c), or with a SIGTERM to $!.
daemon() {
  local name=$1 keep
  keep=$(dirname "$MPU")/tb/keep
  shift
  [[ -x $keep ]] || { echo "FAILED: $keep is missing: build the tests" >&2; return 1; }
  LD_LIBRARY_PATH=$libraries "$keep" "$@" >"$work/$name.log" 2>&1 </dev/null &
}

free_port() {
  local port
  for port in $(shuf -i 20000-32000 -n 50); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}

# ---- Slurm: a controller, and a node of this host with two processors. Sets SLURM_CONF.

start_slurm() {
  local me plugins
  me=$(id -un)
  plugins=$(printf '%s\n' {"$daemons",}/usr/lib/*-linux-gnu/slurm-wlm | while read -r p; do [[ ! -e $p/auth_munge.so ]] || echo "$p"; done | head -n 1)
  mkdir -p "$work/slurm/state" "$work/slurm/spool"
  chmod 755 "$work"
  (umask 077 && head -c 1024 /dev/urandom >"$work/slurm/key")
  cat >"$work/slurm/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=$me
SlurmdUser=$me
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$work/slurm/munge.socket
CredType=cred/munge
PluginDir=$plugins
StateSaveLocation=$work/slurm/state
SlurmdSpoolDir=$work/slurm/spool
SlurmctldPidFile=$work/slurm/slurmctld.pid
SlurmdPidFile=$work/slurm/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerParameters=sched_interval=1,sched_min_interval=10000
MaxArraySize=4
NodeName=n1 NodeAddr=127.0.0.1 NodeHostname=$(hostname -s) CPUs=2 RealMemory=2000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP
CONF
  export SLURM_CONF=$work/slurm/slurm.conf
  users "$work/bin" sbatch squeue scontrol scancel sinfo || return 1
  PATH=$work/bin:$PATH
  start_munged && start_slurmctld && start_slurmd
}
start_munged() {
  daemon munged "$(tool munged)" --foreground --force --socket="$work/slurm/munge.socket" --key-file="$work/slurm/key" \
    --pid-file="$work/slurm/munged.pid" --log-file="$work/slurm/munged.log" --seed-file="$work/slurm/seed"
  wait_for test -S "$work/slurm/munge.socket"
}
start_slurmctld() {
  daemon slurmctld "$(tool slurmctld)" -D
  slurmctld=$!
  wait_for sinfo -h >/dev/null 2>&1
}
# It keeps what it knows, as it does not when it is killed.
stop_slurmctld() {
  kill "$slurmctld"
  wait "$slurmctld"
}
start_slurmd() {
  daemon slurmd "$(tool slurmd)" -D -N n1 -d "$(tool slurmstepd)"
  wait_for idle
}
idle() { [[ $(sinfo -h -o %T 2>/dev/null) == idle ]]; }

# ---- sshd: hosts are this one; at `refused` nobody listens. Sets PARALLEL_SSH. As root sshd wants a user sshd and /run/sshd:
# without them it gets both in a mount namespace of its own. There the folder $work/hidden is empty, too: a host that does not
# share that.

declare -A sshd # keepers, by host
start_sshd() { # HOST: its log is $work/HOST.log
  local port host=$1 keys=$work/ssh
  mkdir -p "$keys" "$work/hidden"
  port=$(free_port)
  if [[ ! -e $keys/user ]]; then
    ssh-keygen -q -t ed25519 -N '' -f "$keys/host" && ssh-keygen -q -t ed25519 -N '' -f "$keys/user" || return 1
    cp "$keys/user.pub" "$keys/authorized"
    cat >"$keys/config" <<CONF
IdentityFile $keys/user
IdentitiesOnly yes
UserKnownHostsFile $keys/known
StrictHostKeyChecking accept-new
BatchMode yes
Host refused
  HostName 127.0.0.1
  Port $(free_port)
CONF
    export PARALLEL_SSH="ssh -F $keys/config" PARALLEL_HOME=$work/parallel
    users "$work/bin" parallel || return 1
    PATH=$work/bin:$PATH
  fi
  cat >"$keys/$host" <<CONF
ListenAddress 127.0.0.1
Port $port
HostKey $keys/host
AuthorizedKeysFile $keys/authorized
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
LogLevel VERBOSE
CONF
  printf 'Host %s\n  HostName 127.0.0.1\n  Port %s\n' "$host" "$port" >>"$keys/config"
  if ((EUID)) || ! unshare --mount true 2>/dev/null; then
    daemon "$host" "$(tool sshd)" -D -e -f "$keys/$host"
  else
    daemon "$host" unshare --mount bash -c '
      cp /etc/passwd "$1/ssh/passwd"
      id -u sshd >/dev/null 2>&1 || echo "sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin" >>"$1/ssh/passwd"
      mount --bind "$1/ssh/passwd" /etc/passwd && mount -t tmpfs tmpfs /run && mkdir -m 755 /run/sshd &&
        mount -t tmpfs tmpfs "$1/hidden" && exec "$2" -D -e -f "$3"' sshd "$work" "$(tool sshd)" "$keys/$host"
  fi
  sshd[$host]=$!
  wait_for ssh -F "$keys/config" "$host" true >/dev/null 2>&1
}
# The host dies with its connections.
stop_sshd() { # HOST
  kill "${sshd[$1]}"
  wait "${sshd[$1]}"
}
