#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "tb/systemc/card/rig.h"
int main(void){ const object*o=object_kernels(); printf("%zu\n",o->bytes);
 static rig r; rig_open(&r); user u=user_new(&r,0); user_load(&u,o); uint64_t a=user_alloc(&u,4096);
 card_record c=user_do(&u,CMD(EVENT,0)); printf("%llu %llu now %llu\n",(long long)c.begin,(long long)c.end,(long long)r.now);
 uint64_t b=r.now; user_ring(&u); rig_run(&r); printf("empty bell %llu\n",(long long)(r.now-b));
 uint32_t n[4]; for(int k=0;k<4;k++) n[k]=user_put(&u,CMD(EVENT,(unsigned)k)); user_ring(&u); b=r.now; rig_run(&r);
 for(int k=0;k<4;k++){ c=user_record(&u,n[k]); printf("ev %llu %llu\n",(long long)(c.begin-b),(long long)(c.end-b)); } printf("now %llu\n",(long long)(r.now-b));
 card_command l=user_launch(&u,0,"scale",(shape){4,64,0},PARAMS(a,a)); b=r.now; c=user_do(&u,l); printf("%s begin %llu end %llu cycles %llu inst %llu\n",card_status_name(c.status),(long long)(c.begin-b),(long long)(c.end-b),(long long)c.words[0],(long long)c.words[1]);
 const char*names[]={"traps","waits"};
 for(int k=0;k<2;k++){ l=user_launch(&u,0,names[k],(shape){1,64,0},NULL,0); c=user_do(&u,l); printf("%s: %s\n",card_status_name(c.status),user_text(&u)); user_off(&u); user_on(&u); user_load(&u,o);}
 rig_close(&r); }
