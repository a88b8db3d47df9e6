/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NETMODEL_TCP_H
#define NETMODEL_TCP_H

#include "netmodel/private.h"

/* The window of a connection that goes as packets; all O(1). Packets are counted, times in
 * seconds. */

/* Before the first packet. The library has greeted the other side over an idle path: that is the
 * least delay that it knows. */
void net_tcp_begin(struct net_tcp *tcp, double latency_s);
/* Before the next packet when none is under way. */
void net_tcp_rested(struct net_tcp *tcp, sim_time_ps now);
/* `n` packets are, of which the last one was sent `delay_s` ago. */
void net_tcp_acknowledged(struct net_tcp *tcp, sim_time_ps now, int n, double delay_s);

#endif
